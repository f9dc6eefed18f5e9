package stages

import (
	"math/rand/v2"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// synonyms are words that can stand for each other in the names of calls and
// conditions without changing what they say.
var synonyms = map[string][]string{
	"get": {"fetch", "retrieve", "read"}, "check": {"verify", "confirm"}, "set": {"update", "change"},
	"internal": {"system", "backoffice"}, "login": {"sign_in"}, "logout": {"sign_out"},
	"authenticate": {"validate"}, "authenticated": {"validated"}, "user": {"customer", "client"},
	"pay": {"settle"}, "cancel": {"revoke"}, "apply": {"request"}, "submit": {"file"}, "exist": {"on_file"}, "exists": {"is_on_file"},
	"sufficient": {"enough"}, "minimal": {"minimum"}, "maximum": {"highest"}, "restr": {"rule", "limit_rule"},
	"eligible": {"qualifies"}, "available": {"on_offer"}, "details": {"record"}, "info": {"information"}, "history": {"log"},
	"schedule": {"book"}, "appeal": {"contest"}, "deactivate": {"suspend"}, "reactivate": {"resume"}, "amount": {"sum"},
	"within": {"inside"}, "valid": {"acceptable"}, "transfer": {"send"}, "deposit": {"pay_in"}, "enough": {"sufficient"},
	"provider": {"care_provider"}, "policy": {"plan"}, "claim": {"claim_case"}, "bill": {"invoice"}, "box": {"vault"},
}

// aliases renames actions and conditions consistently: in one variant a word
// of their names has one synonym everywhere. Names that would collide keep
// theirs.
func (p *pool) aliases(rng *rand.Rand) map[string]string {
	pick := map[string]string{}
	for _, w := range sortedKeys(synonyms) {
		if rng.IntN(2) == 0 {
			pick[w] = synonyms[w][rng.IntN(len(synonyms[w]))]
		}
	}
	taken := map[string]bool{sop.Deny: true, sop.Conversation: true}
	bases := map[string]bool{}
	for n := range p.domain.Actions {
		bases[n], taken[n] = true, true
	}
	for n := range p.domain.Conditions {
		bases[n], taken[n] = true, true
	}
	names := map[string]string{}
	for _, base := range sortedKeys(bases) {
		words := strings.Split(base, "_")
		for i, w := range words {
			if s, ok := pick[w]; ok {
				words[i] = s
			}
		}
		if alias := strings.Join(words, "_"); alias != base && !taken[alias] {
			names[base], taken[alias] = alias, true
		}
	}
	return names
}

// shownNames leaves of a renaming what the variant's calls and conditions bear,
// and further actions.
func shownNames(v *sop.Variant, names map[string]string, actions ...string) map[string]string {
	shown := map[string]string{}
	show := func(base string) {
		if alias, renamed := names[base]; renamed {
			shown[base] = alias
		}
	}
	for _, use := range v.Calls {
		show(use.Base)
	}
	for _, use := range v.Conditions {
		show(use.Base)
	}
	for _, base := range actions {
		show(base)
	}
	return shown
}

// baseName undoes the variant's renaming.
func (c *cell) baseName(item string) string {
	n, err := sop.ParseName(item)
	if err != nil {
		return item
	}
	if c.base == nil {
		c.base = map[string]string{}
		for from, to := range c.choice.Names {
			c.base[to] = from
		}
	}
	if b, ok := c.base[n.Base]; ok {
		n.Base = b
	}
	return n.String()
}
