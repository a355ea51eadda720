// Package identify reads from an answer which backend gave it.
//
// A backend tells by an address ("10.42.0.7" or "10.42.0.7:8080"), or by a name
// such as that of a Pod, which a Names function turns into an address. Answers
// of backends are untrusted: a name with control characters or of absurd length
// is refused.
package identify
