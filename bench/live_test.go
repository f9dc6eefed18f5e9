package bench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// twoTasks are one that is to be carried out and one that is to be refused.
const twoTasks = `{"pay_bill": [` + paidTask + `, ` + refusedTask + `]}`

const (
	paidTask = `{"initial_database": {"accounts": {"ann": {"identification": "pw", "admin_password": "x", "balance": 100, "owed_balance": 0.0, "credit_score": 600, "safety_box": "", "credit_cards": []}}, "foreign_exchange": {}, "interaction_time": "2025-02-03T09:15:00"},
` + taskRules + `
"user_known": {"username": "ann", "identification": "pw", "amount": 20, "unit": "dollars"},
"action_should_succeed": true, "user_instruction": "You want your bill of 20 dollars paid.", "user_prompt": "Hello, I am ann; please pay my bill of 20 dollars."}`
	refusedTask = `{"initial_database": {"accounts": {"bob": {"identification": "qw", "admin_password": "x", "balance": 10, "owed_balance": 0.0, "credit_score": 600, "safety_box": "", "credit_cards": []}}, "foreign_exchange": {}, "interaction_time": "2025-02-03T09:15:00"},
` + taskRules + `
"user_known": {"username": "bob", "identification": "qw", "amount": 20, "unit": "dollars"},
"action_should_succeed": false, "user_instruction": "You want your bill of 20 dollars paid.", "user_prompt": "Good day, bob here; I want my bill of 20 dollars paid."}`
	taskRules = `"constraint_parameters": {"maximum_owed_balance": 500, "maximum_exchange": 3000, "minimum_credit_score": 600, "minimum_account_balance_safety_box": 300, "maximum_deposit": 10000},
"constraints_original": ["and", [["single", "internal_check_username_exist", {"username": "username"}], ["single", "sufficient_account_balance", {"username": "username", "amount": "amount"}], ["single", "logged_in_user", {"username": "username"}]]],
"constraints": ["and", [["chain", [["single", "internal_check_username_exist", {"username": "username"}], ["single", "sufficient_account_balance", {"username": "username", "amount": "amount"}]]], ["single", "logged_in_user", {"username": "username"}]]],
"directed_action_graph": {"nodes": [["pay_bill", {"username": "username", "amount": "amount", "unit": "unit"}], "and", ["login_user", {"username": "username", "identification": "identification"}], ["get_account_balance", {"username": "username"}]], "connections": [[0, 1], [1, 2], [1, 3], [3, 2]]},`
)

// readTwo reads twoTasks, and what a live run of them needs.
func readTwo(t *testing.T) ([]*Task, *Desk) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.json")
	require.NoError(t, os.WriteFile(path, []byte(twoTasks), 0o600))
	tasks, _, err := ReadTaskFile(path, "bank")
	require.NoError(t, err)
	desk, err := NewDesk("bank", tasks)
	require.NoError(t, err)
	return tasks, desk
}
