package natsstore

// tail is where a journal ends. The zero value is the end of an empty one. What a
// store remembers of tails may be old, but was true.
type tail struct {
	seq    uint64 // of the last record
	stored uint64 // of the last message, in the stream
	half   bool   // that message is of an append that the server refused when it had a part of it, which counts for nothing
}
