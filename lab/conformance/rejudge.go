package conformance

import "fmt"

// Rejudge judges what was seen once more, by the consumers' files as they are
// now: that a difference is known is what people say of an observation, and no
// observation itself.
func (r *Results) Rejudge(consumers []*Consumer) error {
	for _, c := range consumers {
		i := indexOf(r.Consumers, c.Name)
		if i < 0 {
			continue
		}
		if r.Consumers[i].Policy != c.Promises.Policy {
			return fmt.Errorf("consumer %s was held to %s and now promises %s: run it again", c.Name, r.Consumers[i].Policy, c.Promises.Policy)
		}
		r.Consumers[i].Title, r.Consumers[i].Source = c.Title, c.Promises.Source
		for n, v := range c.Versions {
			if v.Text != "" && n < len(r.Consumers[i].Versions) {
				r.Consumers[i].Versions[n] = v.Name + " " + v.Text
			}
		}
		for n, old := range r.Cells {
			if old.Consumer != c.Name || len(old.Observations) == 0 || old.Verdict == NotRun {
				continue
			}
			cell := judge(c, old.Scenario, old.Observations)
			cell.Plays, cell.Broken, cell.RestartHeals = old.Plays, old.Broken, old.RestartHeals
			r.Cells[n] = cell
		}
	}
	return nil
}
