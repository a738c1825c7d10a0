package main

func Example() {
	main()
	// Output:
	// you#0 [wish] agents talk over small graphs
	// writer#0 [draft] agents talk over small graphs
	// critic#0 [remark] shorter, please
	// writer#1 [draft] agents talk over small
	// critic#1 [remark] shorter, please
	// writer#2 [draft] agents talk over
}
