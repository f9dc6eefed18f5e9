package world

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
)

// script calls tools of a domain's example one after the other. A step is
// "tool {arguments} -> observation"; "plain tool …" goes through the plain
// layer, and "PATH = value" looks into the database.
func script(t *testing.T, domain, goal, constraints string, mends []string, steps string) {
	t.Helper()
	d, err := Load(domain)
	if err != nil {
		t.Fatal(err)
	}
	database, _ := d.Example()
	s := Setup{Database: database, Goal: goal, Mends: mends}
	if goal != "" {
		v, err := python.Eval(constraints)
		if err != nil {
			t.Fatal(err)
		}
		if s.Constraints, err = ReadTree(v); err != nil {
			t.Fatal(err)
		}
	}
	w := d.Start(s)
	for _, step := range strings.Split(strings.TrimSpace(steps), "\n") {
		step = strings.TrimSpace(step)
		if path, want, looks := strings.Cut(step, " = "); looks {
			var v starlark.Value = w.Database()
			for _, key := range strings.Split(path, "/") {
				v = get(v.(*starlark.Dict), key)
			}
			if got := python.Repr(v); got != want {
				t.Errorf("%s: %s is %s, want %s", domain, path, got, want)
			}
			continue
		}
		call, want, _ := strings.Cut(step, " -> ")
		strict := true
		if rest, plain := strings.CutPrefix(call, "plain "); plain {
			call, strict = rest, false
		}
		name, text, _ := strings.Cut(call, " ")
		args, err := python.Eval(text)
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		var answer starlark.Value
		if strict {
			answer, err = w.Call(name, args.(*starlark.Dict))
		} else {
			answer, err = w.CallPlain(name, args.(*starlark.Dict))
		}
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = python.Repr(answer)
		}
		if got != want {
			t.Errorf("%s: %s gives %s, want %s", domain, call, got, want)
		}
	}
}

// TestLayers goes through what the two layers do, by the example of the bank.
func TestLayers(t *testing.T) {
	script(t, "bank", "", "", nil, `
		get_account_balance {"username": "petra"} -> False
		plain get_account_balance {"username": "petra"} -> (True, 812.5)
		login_user {"username": "petra", "identification": "wrong"} -> False
		get_account_balance {"username": "petra"} -> (True, 812.5)
		authenticate_admin_password {"username": "petra", "admin_password": "wrong"} -> False
		transfer_funds {"username": "petra", "destination_username": "omar", "amount": 1250, "unit": "cents"} -> False
		transfer_funds {"username": "petra", "destination_username": "omar", "amount": 125, "unit": "cents"} -> True
		accounts/petra/balance = 811.25
		accounts/omar/balance = 21.25
		transfer_funds {"username": "petra", "destination_username": "omar", "amount": -1, "unit": "dollar"} -> False
		transfer_funds {"username": "petra", "destination_username": "omar", "amount": "5", "unit": "dollar"} -> TypeError: float >= string not implemented
		transfer_funds {"username": "petra", "destination_username": "omar", "unit": "dollar"} -> KeyError: 'amount'
		transfer_funds {"username": "petra", "destination_username": "omar", "amount": 1} -> TypeError: transfer_funds() missing 1 required positional argument: 'unit'
		transfer_funds {"username": "petra", "destination_username": "nobody"} -> False
		plain transfer_funds {"username": "petra", "destination_username": "nobody", "amount": 1, "unit": "dollar"} -> KeyError: 'nobody'
		accounts/petra/balance = 810.25
		pay_bill {"username": "petra", "amount": 10, "unit": "dollars", "colour": "red"} -> True
		deposit_funds {"username": "petra", "amount": 10, "unit": "EUR", "deposit_form": None} -> True
		accounts/petra/balance = 800.35
		get_loan {"username": "petra", "loan_amount": 100} -> True
		accounts/petra/owed_balance = 154.0
		set_account_information {"username": "petra", "username_new": "pk", "identification_new": "i"} -> True
		get_account_balance {"username": "pk"} -> False
		logout_user {"username": "omar"} -> True
		authenticate_admin_password {"username": "pk", "admin_password": "quartz-lantern-88"} -> False
		login_user {"username": "pk"} -> False
		login_user {} -> TypeError: login_user() missing 1 required positional argument: 'username'
		login_user {"username": "pk", "password": "i"} -> TypeError: login_user() got an unexpected keyword argument 'password'
		authenticate_admin_password {} -> TypeError: authenticate_admin_password() missing 2 required positional arguments: 'username' and 'admin_password'
		no_such_tool {} -> AttributeError: there is no tool 'no_such_tool'
		internal_check_username_exist {"username": ["pk"]} -> TypeError: unhashable type: 'list'
		internal_get_credit_score {"username": "nobody"} -> False
		get_credit_card_info {"username": "pk", "card_number": "4"} -> (False, {})
		get_credit_card_info {"username": "pk", "card_number": "4012 0000 1111 7777"} -> (True, {'credit_limit': 600.0, 'credit_balance': 25.5})
		get_credit_card_info {"username": "nobody", "card_number": "4"} -> False
		exchange_foreign_currency {"amount": 250, "unit": "cents", "foreign_currency_type": "CHF"} -> (True, 2.2)
		get_bank_maximum_loan_amount {} -> (True, 0.0)
		get_bank_maximum_loan_amount {"bank_total_cash": 5} -> (True, 2.5)
	`)
	// The goal's guard is the task's; with the mends a wrong password is none.
	script(t, "bank", "get_account_balance", "None", []string{"login"}, `
		get_account_balance {"username": "petra"} -> (True, 812.5)
		login_user {"username": "petra", "identification": "wrong"} -> False
		get_safety_box {"username": "petra"} -> False
		login_user {"username": "omar", "identification": "tulip.garden"} -> True
		get_credit_cards {"username": "omar"} -> False
		authenticate_admin_password {"username": "omar", "admin_password": "saffron-bridge-21"} -> True
		get_credit_cards {"username": "omar"} -> (True, {})
	`)
	script(t, "university", "", "", nil, `
		internal_get_student_info {"username": "ravi"} -> not a tool of the strict layer
		plain internal_get_minor_info {"minor": "Law"} -> (False, None)
		enroll_course {"username": "ravi"} -> TypeError: enroll_course() missing 1 required positional argument: 'course_code'
		login_user {"username": "ravi"} -> TypeError: login_user() missing 1 required positional argument: 'password'
		login_user {"username": "ravi", "password": "x"} -> False
		enroll_course {"username": "ravi", "course_code": "X"} -> KeyError: 'prerequisites'
	`)
	script(t, "library", "", "", nil, `
		login_user {"username": "nadia"} -> False
		borrow_book {"username": "nadia", "book_title": "The Salt Ledger"} -> False
		return_book {"username": "nadia", "book_title": "The Salt Ledger"} -> True
		books/Q7M2K9A/count = 4
		borrow_book {"username": "nadia", "book_title": "The Salt Ledger"} -> True
		accounts/nadia/borrowed = {'Q7M2K9A': 'March 13th, 2031'}
		pay_late_fee {"username": "nadia"} -> True
		accounts/nadia/balance = 10.5
		update_membership {"username": "nadia"} -> (True, 'July 21st, 2031')
		reserve_room {"username": "nadia", "room_id": "RM7", "resv_date": "March 4th, 2031", "slots": ["10:00", "11:00"]} -> True
		rooms/RM7 = {}
		accounts/nadia/room_reservation = {'RM7': {'March 4th, 2031': ['9:00', '14:00', '10:00', '11:00']}}
		internal_get_num_reserved_slots {"username": "nadia"} -> (True, 4)
		internal_convert_human_date_to_iso {"date_string": "march 3, 2031"} -> (True, '2031-03-03')
		internal_convert_human_date_to_iso {"date_string": "Mar 3rd, 2031"} -> ValueError: Invalid date format: Mar 3rd, 2031
		internal_convert_iso_to_human_date {"iso_date": "2031-1-22"} -> (True, 'January 22nd, 2031')
		internal_convert_iso_to_human_date {"iso_date": "2031-01-11"} -> (True, 'January 11th, 2031')
	`)
	script(t, "hotel", "", "", nil, `
		book_room {"guest_name": "Ada", "room_type": "garden", "check_in_date": "2025-05-02", "check_out_date": "2025-05-04", "amount": 189} -> False
		book_room {"guest_name": "Lena Ortiz", "room_type": "garden", "check_in_date": "2025-05-02", "check_out_date": "2025-05-04", "amount": 190} -> False
		book_room {"guest_name": "Ada", "room_type": "garden", "check_in_date": "2025-5-2", "check_out_date": "2025-05-04", "amount": 190} -> (True, True)
		room_assignment = {'BK001': 'G3', 'BK002': 'G4', 'BK003': 'G1'}
		rooms/garden/availability/G1 = ['2025-05-04']
		bookings/BK003/loyalty_points_to_add = 0
		plain book_room {"guest_name": "Lena Ortiz", "room_type": "garden", "check_in_date": "2025-05-02", "check_out_date": "2025-05-04", "amount": 190} -> (True, True)
		room_assignment = {'BK001': 'G3', 'BK002': 'G4', 'BK003': 'G1', 'BK004': None}
		bookings/BK004/loyalty_points_to_add = 50
		book_room {"guest_name": "A", "room_type": "attic", "check_in_date": "2025-05-02", "check_out_date": "2025-05-04", "amount": 190} -> AttributeError: NoneType has no .get field or method
		modify_reservation {"guest_name": "Ada", "old_check_in_date": "2025-5-2", "old_check_out_date": "2025-05-04", "check_in_date": "2025-05-03", "check_out_date": "2025-05-04", "room_type": "tower", "amount": 1} -> False
		plain modify_reservation {"guest_name": "Ada", "old_check_in_date": "2025-5-2", "old_check_out_date": "2025-05-04", "check_in_date": "2025-05-03", "check_out_date": "2025-05-04", "room_type": "tower", "amount": 1} -> (True, True)
		rooms/tower/availability/G1 = ['2025-05-02', '2025-05-04']
		rooms/garden/availability/G1 = ['2025-05-02', '2025-05-04']
		process_guest_checkin {"guest_name": "Lena Ortiz", "check_in_date": "2025-05-02", "check_out_date": "2025-05-04", "identification": {"type": "Passport", "birthday": "2007-05-01"}} -> False
		process_guest_checkin {"guest_name": "Lena Ortiz", "check_in_date": "2025-05-02", "check_out_date": "2025-05-04", "identification": {"type": "Passport", "birthday": "2007-04-30"}} -> (True, 'G4')
		register_loyalty_member {"guest_name": "Wen Li"} -> (True, True)
		loyalty_members/HTL2579P = {'name': 'Wen Li', 'loyalty_points': 0, 'tier': 'silver'}
		register_loyalty_member {"guest_name": "Wen Li"} -> False
		place_room_service_order {"guest_name": "Lena Ortiz", "room_id": "G3", "order_type": "breakfast", "order_items": [{"name": "eggs", "quantity": 2}], "payment_method": "cash"} -> KeyError: 'amount'
		place_room_service_order {"guest_name": "Lena Ortiz", "room_id": "G3", "order_type": "breakfast", "order_items": [{"name": "eggs", "quantity": 2}], "payment_method": "cash", "amount": 16} -> (True, True)
		bookings/BK001/room_service = {'2025-04-30': 2}
		room_service_orders/RS002/order_total = 16
	`)
}

// TestEndlessTool stops a tool that would not end.
func TestEndlessTool(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../data/bank")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, toolsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	loop := strings.Replace(string(text), "def logout_user(world, username):\n", "def logout_user(world, username):\n    for i in range(1 << 40):\n        pass\n", 1)
	if err := os.WriteFile(path, []byte(loop), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	database, known := d.Example()
	w := d.Start(Setup{Database: database})
	args := new(starlark.Dict)
	_ = args.SetKey(starlark.String("username"), get(known, "username"))
	_, err = w.Call("logout_user", args)
	var fault *Fault
	if !errors.As(err, &fault) || fault.Tool != "logout_user" || !strings.Contains(fault.At, toolsFile) {
		t.Errorf("%v, want a fault of logout_user", err)
	}
}

func TestGraphProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"nodes": ["and", "or", ["f", {}]], "connections": [[0, 1], [1, 2], [1, 0]]}`: "the and/or nodes from node 0 on turn in a circle",
		`{"nodes": [["f", {}]], "connections": [[0, 1]]}`:                              "found the connection [0, 1], want two of the 1 nodes",
		`{"nodes": [["f"]], "connections": []}`:                                        "found the node ['f'], want [function, {parameter: variable}]",
		`{"nodes": [3], "connections": []}`:                                            `found the node 3, want "and", "or" or [function, {parameter: variable}]`,
		`{}`:                                                                           "found {}, want a graph with nodes",
	} {
		v, err := python.Eval(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadGraph(v); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
