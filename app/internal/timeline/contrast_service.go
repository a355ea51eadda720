package timeline

import "fmt"

// momentLimit bounds how many moments a finding lists for what repeats: the
// number is in the message, and the first ones show the pattern.
const momentLimit = 20

// emptyWrites finds slices that were written without change of meaning.
func (f *finder) emptyWrites(svc *ServiceHistory) {
	n := len(svc.Empty)
	if n == 0 {
		return
	}
	x := Finding{
		Code: EmptyWrites, Service: svc.Key.String(),
		From: svc.Empty[0].At, To: svc.Empty[n-1].At,
		Message: fmt.Sprintf("%d of %d writes of its slices changed no address, condition, port or label with a meaning", n, svc.Writes),
	}
	for _, w := range svc.Empty[:min(n, momentLimit)] {
		x.Moments = append(x.Moments, Moment{w.At, w.Clock, fmt.Sprintf("slice %s written, resourceVersion %s", w.Slice, w.ResourceVersion)})
	}
	f.add(x)
}

// shrunk finds the times in which a Service had no ready address after it had
// had some.
func (f *finder) shrunk(svc *ServiceHistory) {
	for i := 1; i < len(svc.Counts); i++ {
		now, before := svc.Counts[i], svc.Counts[i-1]
		if now.Ready > 0 || before.Ready == 0 {
			continue
		}
		x := Finding{
			Code: ShrunkToNothing, Service: svc.Key.String(), From: now.At, To: f.h.Until, Ongoing: true,
			Moments: []Moment{
				{before.At, before.Clock, fmt.Sprintf("%d ready of %d known", before.Ready, before.Known)},
				{now.At, now.Clock, fmt.Sprintf("none ready of %d known", now.Known)},
			},
		}
		for _, c := range svc.Counts[i+1:] {
			if c.Ready > 0 {
				x.To, x.Ongoing = c.At, false
				x.Moments = append(x.Moments, Moment{c.At, c.Clock, fmt.Sprintf("%d ready of %d known", c.Ready, c.Known)})
				break
			}
		}
		x.Message = fmt.Sprintf("no ready address for %s, after %d", duration(x.To.Sub(x.From)), before.Ready)
		f.add(x)
	}
}
