package agentgraph_test

import "flag"

// update writes expected files anew where a test finds others.
var update = flag.Bool("update", false, "write the expected files anew")
