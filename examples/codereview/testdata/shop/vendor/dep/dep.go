package dep

func Undocumented() {}
