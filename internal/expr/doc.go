// Package expr is the machinery behind graphs: expressions over names and sets
// of labels, and what can be read off them.
//
// A [Term] is what the operators make, in O(1) each, sharing what they are
// given. A [Form] is the same as a list, over which every algorithm is a loop. A
// [Table] gives its edges row by row, and [Wires] what each vertex has on its
// outgoing and incoming edges, as numbers. The package knows nothing of agents:
// vertices and labels are strings and sets of strings.
package expr
