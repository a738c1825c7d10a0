// Package agentgraph lets several agents talk until the work is done, and says
// exactly who heard what and why. It also runs work in steps that go on after a
// crash where they were.
//
// # Graphs
//
// A graph of names is built with algebra: [Empty], [Vertex], [Overlay] and
// [Connect], whose edges carry sets of channels, and the shapes made of these:
// [Bus], [Star], [Chain], [Pipeline]. Graphs are values. Building one costs O(1)
// an operator, and the laws of the algebra hold: overlay is commutative and
// associative, connect distributes over it, and so on.
//
// # Agents
//
// A [Registry] says what stands behind each name: an agent, made by [Each],
// [Tape] or [Machine] (or their Context forms, for agents that call a model or
// an API), a whole graph ([Nested]), or a seat for somebody outside ([External]).
// An agent is a value too. It takes one post, and gives its next state and some
// posts of its own.
//
// # Rosters
//
// [ToRoster] checks a graph against its registry and routes it. An agent posts
// to all channels on its outgoing edges and hears all channels on its incoming
// ones; a channel is one shared medium, so two edges that name it meet on it.
// An agent that wants only some of its channels names them in To. [Lint] tells
// of what is legal but suspicious, [Roster.Hearers] of who would hear a post,
// [DOT] and [Mermaid] draw it.
//
// # Meetings
//
// [RunGraph], [Roster.Run] and [Meeting] run the roster. Inputs are posted; then
// passes go over the agents in name order, each that has something to hear takes
// one post, and what it says is delivered at once, until nobody has anything left
// to hear. All posts stand in one log; each names the posts it answers. For
// agents that are functions of what they are given the log is the same on every
// machine and every run, and whether turns are taken one at a time or side by
// side ([Options]).
//
// # Work that survives a crash
//
// A [Resumable] is work in steps. Run under a run ID it keeps in a [Store] what each
// step has done; killed at any moment and run again, it skips the steps that were
// done before with the same input, which is all artifacts:
//
//	order := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
//		receipt, err := agentgraph.Do(s, "receipt", pay)
//		if err != nil {
//			return err
//		}
//		return s.Step("print", func(s *agentgraph.Step) error { return show(receipt) })
//	}, &agentgraph.ResumableOptions{Store: store})
//	result, err := order.Run(ctx, "order/17", nil)
//
// [Step.Step], [Do], [Step.StepAgent] and [Step.Go] are kinds of step. [RunMeeting]
// is a meeting as a step, and every turn of it another. [Ask] and the seats of a
// meeting wait for people, who answer from any process: [Answer], [AnswerSeat].
// [Resumable.StepsRun] tells what each attempt did. [MemStore] keeps runs in memory,
// package filestore in files.
//
// The library starts nothing of its own: no goroutine outlives a call, there are
// no globals, and time and chance have no part in any result.
package agentgraph
