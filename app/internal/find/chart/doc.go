// Package chart shows Helm charts as they are with values: it finds charts in a
// tree, loads their files, has them rendered, and tells which line of which
// template a rendered line comes from.
//
// Templates are programs from outside. They are rendered by a [Renderer] that
// can be stopped: [Process] runs one in a process of its own, which limits its
// memory and its processor time and has neither a cluster nor a network to ask.
// The engine that such a process runs is in package engine below; who imports
// this package alone does not import Helm.
package chart
