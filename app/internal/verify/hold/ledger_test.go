package hold

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAnswersAreRead(t *testing.T) {
	for line, want := range map[string]string{
		"7":                                 "7 0 unknown",
		"7 3 10.0.0.1:80 web-1":             "7 3 web-1 (10.0.0.1:80)",
		"7 3 [fd00::1]:80 -":                "7 3 [fd00::1]:80",
		"7 3 - web-1\r":                     "7 3 web-1",
		"7 3 [::ffff:10.0.0.1]:80 -":        "7 3 10.0.0.1:80",
		"":                                  "no",
		"0":                                 "no",
		"-1":                                "no",
		"7 3":                               "no",
		"7 0 - -":                           "no",
		"7 x - -":                           "no",
		"7 3 10.0.0.1 -":                    "no",
		"7 3 - a b":                         "no",
		"7 3 - \x1b[31m":                    "no",
		"7 3 - 10.0.0.1":                    "no", // an address is not a name
		"18446744073709551616":              "no",
		"hello":                             "no",
		"7 3 - " + strings.Repeat("x", 600): "no",
	} {
		got := "no"
		if a, ok := parseAnswer(line); ok {
			got = fmt.Sprint(a.number, " ", a.count, " ", backend(a.who))
		}
		if got != want {
			t.Errorf("%q is %s, want %s", line, got, want)
		}
	}
}

func FuzzAnswersNeverPanic(f *testing.F) {
	f.Add("7 3 10.0.0.1:80 web-1")
	f.Add("1")
	f.Fuzz(func(t *testing.T, line string) {
		l := &ledger{}
		l.next(time.Now())
		l.line(line, time.Now())
		l.line(line, time.Now())
		if m := l.close(End{Kind: RST}, false); m.Answered+m.Lost != m.Sent {
			t.Errorf("%+v", m)
		}
	})
}

// TestLedgerKeepsAccount sends some messages and takes in lines; want is
// "answered lost lostBack inFlight duplicated reordered strange moves".
func TestLedgerKeepsAccount(t *testing.T) {
	const a, b = " 10.0.0.1:80 web-1", " 10.0.0.2:80 web-2"
	for what, c := range map[string]struct {
		sent  int
		lines []string
		ended string
		want  string
	}{
		"all answered":               {3, []string{"1 1" + a, "2 2" + a, "3 3" + a}, "cut", "3 0 0 0 0 0 0 0"},
		"ended before the last":      {3, []string{"1 1" + a, "2 2" + a}, "cut", "2 1 0 0 0 0 0 0"},
		"goodbye met the last":       {3, []string{"1 1" + a, "2 2" + a}, "goodbye", "2 0 0 1 0 0 0 0"},
		"goodbye long after it":      {3, []string{"1 1" + a, "2 2" + a}, "late goodbye", "2 1 0 0 0 0 0 0"},
		"goodbye after a gap":        {3, []string{"1 1" + a, "3 3" + a}, "goodbye", "2 1 1 0 0 0 0 0"},
		"open before the last":       {3, []string{"1 1" + a, "2 2" + a}, "", "2 0 0 1 0 0 0 0"},
		"lost on the way there":      {3, []string{"1 1" + a, "3 2" + a}, "", "2 1 0 0 0 0 0 0"},
		"lost on the way back":       {3, []string{"1 1" + a, "3 3" + a}, "", "2 1 1 0 0 0 0 0"},
		"answered twice":             {2, []string{"1 1" + a, "1 1" + a, "2 2" + a}, "", "2 0 0 0 1 0 0 0"},
		"delivered twice":            {2, []string{"1 1" + a, "1 2" + a, "2 3" + a}, "", "2 0 0 0 1 0 0 0"},
		"out of order":               {3, []string{"1 1" + a, "3 3" + a, "2 2" + a}, "", "3 0 0 0 0 1 0 0"},
		"moved":                      {3, []string{"1 1" + a, "2 1" + b, "3 2" + b}, "", "3 0 0 0 0 0 0 1"},
		"moved without saying so":    {3, []string{"1 1 - -", "2 2 - -", "3 1 - -"}, "", "3 0 0 0 0 0 0 1"},
		"moved back":                 {3, []string{"1 1" + a, "2 1" + b, "3 2" + a}, "", "3 0 0 0 0 0 0 2"},
		"sent back as it was":        {2, []string{"1", "2"}, "", "2 0 0 0 0 0 0 0"},
		"answers to nothing sent":    {1, []string{"1 1" + a, "2 2" + a, "hello", ""}, "", "1 0 0 0 0 0 3 0"},
		"a count that cannot be":     {2, []string{"1 1" + a, "2 18446744073709551615" + a}, "", "2 0 0 0 0 0 0 0"},
		"who it is comes later":      {2, []string{"1 1 - -", "2 2" + a}, "", "2 0 0 0 0 0 0 0"},
		"who it is stops being told": {2, []string{"1 1" + a, "2"}, "", "2 0 0 0 0 0 0 0"},
	} {
		l := &ledger{}
		// Answers take a second, so what was sent less than that before a goodbye may
		// have met it.
		sent := time.Now()
		for range c.sent {
			l.next(sent)
		}
		for _, line := range c.lines {
			l.line(line, sent.Add(time.Second))
		}
		end := map[string]End{
			"": {Kind: Open}, "cut": {Kind: RST, At: sent}, "goodbye": {Kind: FIN, At: sent.Add(time.Second)},
			"late goodbye": {Kind: FIN, At: sent.Add(time.Second + 1)},
		}[c.ended]
		m := l.close(end, end.Kind == FIN)
		got := fmt.Sprint(m.Answered, m.Lost, m.LostBack, m.InFlight, m.Duplicated, m.Reordered, m.Strange, len(l.moves))
		if got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

func TestConnectionThatHasGoneSilentIsNotFilledUp(t *testing.T) {
	l := &ledger{}
	for range 10 * maxOutstanding {
		l.next(time.Now())
	}
	if l.messages.Sent != maxOutstanding {
		t.Errorf("%d sent without an answer", l.messages.Sent)
	}
	l.line("1 1 - -", time.Now())
	if number, ok := l.next(time.Now()); !ok || number != maxOutstanding+1 {
		t.Errorf("after an answer: %d %t", number, ok)
	}
}

func TestMessageThatWasNotSentIsNotCounted(t *testing.T) {
	l := &ledger{}
	number, _ := l.next(time.Now())
	l.unsend(number)
	if diff := cmp.Diff(Messages{}, l.close(End{Kind: RST}, false)); diff != "" {
		t.Error(diff)
	}
	if number, _ := l.next(time.Now()); number != 1 {
		t.Errorf("the next is %d", number)
	}
}

// Whatever a line does to messages (drop, double, delay), the account adds up,
// and a line that does nothing to them has a clean one.
func TestAccountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &ledger{}
		var count, dropped, doubled int
		var pending []string
		for range rapid.IntRange(1, 60).Draw(t, "messages") {
			number, ok := l.next(time.Now())
			if !ok {
				break
			}
			count++
			line := fmt.Sprintf("%d %d 10.0.0.1:80 web", number, count)
			switch rapid.IntRange(0, 9).Draw(t, "fate") {
			case 0:
				dropped++ // on the way back
			case 1:
				doubled++
				pending = append(pending, line, line)
			case 2:
				count-- // on the way there
				dropped++
			default:
				pending = append(pending, line)
			}
			if rapid.Bool().Draw(t, "delivered now") {
				for _, line := range pending {
					l.line(line, time.Now())
				}
				pending = nil
			}
		}
		for _, line := range pending {
			l.line(line, time.Now())
		}
		m := l.close(End{Kind: RST}, false)
		if m.Answered+m.Lost != m.Sent || int(m.Lost) != dropped || int(m.Duplicated) != doubled || m.Reordered != 0 || m.LostBack > m.Lost || len(l.moves) != 0 && dropped == 0 {
			t.Fatalf("%+v with %d dropped, %d doubled, moves %v", m, dropped, doubled, l.moves)
		}
	})
}
