// Package data holds the built-in domain packs: one folder a domain, with
// domain.yaml, procedures/<goal>.yaml and records.star.
package data

import "embed"

// FS is the packs, a folder each.
//
//go:embed bank dmv healthcare hotel library online_market university
var FS embed.FS
