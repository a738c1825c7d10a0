package review

import (
	"go/ast"
	"go/token"
)

// maxDepth is how deep if, for, switch and select may stand inside one another.
const maxDepth = 4

// deepFuncs finds functions that nest deeper, and reports where they go deepest.
func deepFuncs(f *file) []Finding {
	var all []Finding
	for _, fn := range f.funcs() {
		if pos, depth := deepest(fn.Body); depth > maxDepth {
			all = append(all, f.at(pos, "%s nests %d deep here, more than %d", title(fn), depth, maxDepth))
		}
	}
	return all
}

// deepest returns the first of the statements that stand deepest. The if of an
// else if stands no deeper than the if before it.
func deepest(body *ast.BlockStmt) (pos token.Pos, depth int) {
	depths := []int{0} // of the nodes around this one
	chained := map[ast.Node]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			depths = depths[:len(depths)-1]
			return true
		}
		here := depths[len(depths)-1]
		if nests(n) && !chained[n] {
			here++
		}
		if s, ok := n.(*ast.IfStmt); ok && s.Else != nil {
			chained[s.Else] = true
		}
		if here > depth {
			pos, depth = n.Pos(), here
		}
		depths = append(depths, here)
		return true
	})
	return pos, depth
}

func nests(n ast.Node) bool {
	switch n.(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}
