package text

import (
	"fmt"
	"maps"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// ReadScenario reads what RenderScenario wrote, in any style. Bound numbers
// come back as float64, objects as decoded JSON. A comparison is computed: it
// holds where its depends_on holds, its values exist and the numbers fit. The
// error names what is missing, twofold or unknown.
func ReadScenario(text string, v *sop.Variant) (*sop.Scenario, error) {
	r, err := scnReadCase(text, v)
	if err != nil {
		return nil, err
	}
	r.takeTold()
	for _, key := range scnKeys(v.Conditions) {
		if _, said := r.facts[key]; !said && v.Conditions[key].Compare == nil {
			return nil, fmt.Errorf("the case states nothing on %q, want one of its records: %q or %q",
				key, r.records.factLine(key, true), r.records.factLine(key, false))
		}
	}
	for _, key := range scnKeys(v.Values) {
		if !v.Values[key].Stated && !r.seen[key] {
			return nil, fmt.Errorf("the case has no record of the value %q, want the line %q", key, r.records.valueLine(key))
		}
	}
	return r.scenario()
}

// scnCase is a case as far as it has been read.
type scnCase struct {
	v       *sop.Variant
	facts   map[string]bool
	values  map[string]float64
	seen    map[string]bool // values recorded, missing ones too
	details map[string]any
	records *scnRecords
	told    *told // by results of calls; records go before it
}

// takeTold takes over what results tell and no record does.
func (c *scnCase) takeTold() {
	for key, holds := range c.told.facts {
		if _, said := c.facts[key]; !said {
			c.facts[key] = holds
		}
	}
	for name, x := range c.told.values {
		if !c.seen[name] {
			c.seen[name], c.values[name] = true, x
		}
	}
}

// numbers are the values that records and results tell.
func (c *scnCase) numbers() map[string]float64 {
	all := maps.Clone(c.told.values)
	for name := range c.seen {
		delete(all, name)
	}
	maps.Copy(all, c.values)
	return all
}

func scnReadCase(text string, v *sop.Variant) (*scnCase, error) {
	details, lines, err := scnSplitCase(text, v)
	if err != nil {
		return nil, err
	}
	c := &scnCase{v: v, facts: map[string]bool{}, values: map[string]float64{}, seen: map[string]bool{}, details: details, records: newScnRecords(v, details), told: newTold(v)}
	for _, line := range lines {
		if item, result, ok := readResultLine(line, v); ok {
			c.told.add(item, result)
			continue
		}
		f, err := c.records.read(line)
		if err != nil {
			return nil, err
		}
		if err := c.add(f); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *scnCase) add(f scnFinding) error {
	if !f.value {
		if old, twice := c.facts[f.key]; twice && old != f.holds {
			return fmt.Errorf("the case states both that %q holds and that it does not, want one of the two", f.key)
		}
		c.facts[f.key] = f.holds
		return nil
	}
	old, known := c.values[f.key]
	if c.seen[f.key] && (known == f.missing || known && old != f.number) {
		return fmt.Errorf("the case records the value %q twice, differently", f.key)
	}
	c.seen[f.key] = true
	if !f.missing {
		c.values[f.key] = f.number
	}
	return nil
}

// scenario computes the comparisons.
func (c *scnCase) scenario() (*sop.Scenario, error) {
	s := &sop.Scenario{Facts: map[string]bool{}, Values: c.values, Bindings: c.details}
	for key, use := range c.v.Values {
		x, isNumber := c.details[key].(float64)
		if use.Stated && isNumber && use.DependsOn.Holds(c.facts) {
			s.Values[key] = x
		}
	}
	for _, key := range scnKeys(c.v.Conditions) {
		holds := c.settle(key, s, map[string]bool{})
		if said, ok := c.facts[key]; ok && said != holds {
			return nil, fmt.Errorf("the case states that %q is %v, but its values make it %v", key, said, holds)
		}
	}
	return s, nil
}

// settle decides a condition after those on which it depends; a circle among
// them counts as false.
func (c *scnCase) settle(key string, s *sop.Scenario, open map[string]bool) bool {
	if holds, done := s.Facts[key]; done || open[key] {
		return holds
	}
	open[key] = true
	use := c.v.Conditions[key]
	holds := c.facts[key]
	if use.Compare != nil {
		for _, name := range c.v.DependsOn[key].Names() {
			if c.v.Conditions[name] != nil {
				c.settle(name, s, open)
			}
		}
		holds = scnFits(use.Compare, s.Values) && c.v.DependsOn[key].Holds(s.Facts)
	}
	s.Facts[key] = holds
	return holds
}

// scnHeadings is every heading of every style.
var scnHeadings = func() map[string]scnSection {
	all := map[string]scnSection{}
	for _, style := range scnStyles {
		for section, list := range style.headings {
			for _, h := range list {
				all[h] = section
			}
		}
	}
	return all
}()

// scnSplitCase returns the details and the record lines of a case.
func scnSplitCase(text string, v *sop.Variant) (details map[string]any, lines []string, err error) {
	details = map[string]any{}
	section := scnNoSection
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if h, ok := scnHeadings[strings.TrimSpace(strings.Trim(line, "#*: "))]; ok {
			section = h
			continue
		}
		item, ok := scnBullet(line)
		if !ok || section == scnNoSection {
			if line != "" && !ok {
				section = scnNoSection
			}
			continue
		}
		if section != scnDetailsSection {
			lines = append(lines, item)
			continue
		}
		p, value, err := scnReadDetailLine(item, v.Domain)
		if err != nil {
			return nil, nil, err
		}
		if _, twice := details[p]; twice {
			return nil, nil, fmt.Errorf("the case gives the detail %q twice", p)
		}
		details[p] = value
	}
	return details, lines, nil
}

func scnBullet(line string) (string, bool) {
	for _, b := range []string{"- ", "* ", "• "} {
		if item, ok := strings.CutPrefix(line, b); ok {
			return strings.TrimSpace(item), true
		}
	}
	return "", false
}

func scnReadDetailLine(item string, d *sop.Domain) (string, any, error) {
	_, rest, ok := strings.Cut(item, "(`")
	p, rest, closed := strings.Cut(rest, "`):")
	if !ok || !closed || !sop.IsIdentifier(p) {
		return "", nil, fmt.Errorf("the detail %q names no parameter, want Label (`parameter`): value", item)
	}
	return p, scnReadDetail(d, p, rest), nil
}
