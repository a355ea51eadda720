// Package verify finds out what a consumer of a Service really uses: the
// slices, the consumer's own view and who answers new connections, held against
// each other over time.
//
// A [Log] takes in facts, each with its moment: what the slices said ([Slices]),
// what an [Observer] read of a consumer ([View]), and what a [Prober] was answered
// ([Answer]). Its [Report] is a function of these facts alone: nothing here has a
// clock, a socket or a file, so that a judgement can be played again.
//
// What is promised:
//
//   - Not known is neither equal nor different. A time in which the slices or the
//     consumer could not be read makes no finding; and where it is longer than a
//     consumer may take to follow, no outcome is "equal" either.
//   - A finding was seen to last, for longer than that ([Options].Settle). What
//     only may have lasted is undecided.
//   - A report is bounded, whatever a consumer or a backend says; its counts are of
//     all.
//
// What consumers and backends say stays as it came: who prints a report makes it
// fit for a terminal, a page or a query.
//
// Package live below collects the facts, observe and probe have observers and
// probers, hold and publication look at what those cannot see.
package verify
