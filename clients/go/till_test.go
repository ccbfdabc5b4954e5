package fiscal

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	emulator *Emulator
	till     *Client
	coffee   = NewItem("Coffee", "2", "120", "A")
)

func TestMain(m *testing.M) {
	var err error
	if emulator, err = StartEmulator(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	till = NewClient(emulator.URL)
	till.Pause = 100 * time.Millisecond
	status := m.Run()
	emulator.Close()
	os.Exit(status)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fresh(t *testing.T) {
	t.Helper()
	must(t, emulator.Reset())
	must(t, till.VerifyPin(emulator.Pin))
}

func newID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return hex.EncodeToString(id)
}

func sold(t *testing.T, invoice Invoice) *Receipt {
	t.Helper()
	receipt, err := till.Submit(invoice, newID())
	must(t, err)
	return receipt
}

func counted(t *testing.T, name string, expected int) {
	t.Helper()
	counters, err := emulator.Counters()
	must(t, err)
	if counters[name] != expected {
		t.Fatalf("%s is %d, not %d", name, counters[name], expected)
	}
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Fatalf("there is no %s in %s", part, text)
	}
}

func refused(t *testing.T, err error, code, action string) {
	t.Helper()
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Code != code || refusal.Action != action {
		t.Fatalf("expected %s %s, got %v", code, action, err)
	}
}

func TestPin(t *testing.T) {
	fresh(t)
	refused(t, till.VerifyPin("0000"), "2100", "enter-pin")
	must(t, till.VerifyPin(emulator.Pin))
	status, err := till.Status()
	must(t, err)
	if status.IsPinRequired {
		t.Fatal("the PIN is still required")
	}
}

func TestSell(t *testing.T) {
	fresh(t)
	receipt := sold(t, Sale(NewItem("Кафа", "2", "120", "A")))
	contains(t, receipt.Journal, "Кафа (A)")
	if receipt.TotalAmount != "240" || receipt.TotalCounter != 1 || receipt.InvoiceNumber == "" {
		t.Fatalf("%+v", receipt)
	}
	counted(t, "NS", 1)
}

func TestRefund(t *testing.T) {
	fresh(t)
	sale := sold(t, Sale(coffee))
	contains(t, sold(t, Sale(coffee).Refund(sale)).Journal, sale.InvoiceNumber)
	counted(t, "NR", 1)
}

func TestCopy(t *testing.T) {
	fresh(t)
	sale := sold(t, Sale(coffee))
	contains(t, sold(t, Sale(coffee).Copy(sale)).Journal, sale.InvoiceNumber)
	counted(t, "CS", 1)
}

func TestAdvance(t *testing.T) {
	fresh(t)
	deposit := Advance(NewItem("Deposit for a table", "1", "100", "A"))
	closed := sold(t, deposit.Refund(sold(t, deposit)))
	final := sold(t, Sale(coffee).PointingTo(closed))
	contains(t, final.Journal, closed.InvoiceNumber)
	for _, name := range []string{"AS", "AR", "NS"} {
		counted(t, name, 1)
	}
}

func TestLostAnswer(t *testing.T) {
	fresh(t)
	must(t, emulator.Fault(map[string]any{"on": "answer", "nth": 1, "kind": "connectionDropped"}))
	id := newID()
	receipt, err := till.Submit(Sale(coffee), id)
	must(t, err)
	again, err := till.Submit(Sale(coffee), id)
	must(t, err)
	if *again != *receipt {
		t.Fatal("the repeat got another receipt")
	}
	counted(t, "total", 1)
	sent, err := emulator.Requests(map[string]any{"requestId": id})
	must(t, err)
	signed, err := emulator.Requests(map[string]any{"requestId": id, "signed": true})
	must(t, err)
	if len(sent) != 3 || len(signed) != 1 {
		t.Fatalf("%d requests, %d of them signed", len(sent), len(signed))
	}
}

func TestBrokenAnswer(t *testing.T) {
	fresh(t)
	impatient := NewClient(emulator.URL)
	impatient.HTTP.Timeout, impatient.Pause = 2*time.Second, 100*time.Millisecond
	for _, fault := range []map[string]any{
		{"on": "answer", "nth": 1, "kind": "short"},
		{"on": "answer", "nth": 1, "kind": "latency", "duration": "60s"},
	} {
		must(t, emulator.Fault(fault))
		receipt, err := impatient.Submit(Sale(coffee), newID())
		must(t, err)
		contains(t, receipt.Journal, "Coffee")
	}
	counted(t, "total", 2)
}

func TestGaveUp(t *testing.T) {
	fresh(t)
	must(t, emulator.Fault(map[string]any{"on": "answer", "kind": "connectionDropped"}))
	id := newID()
	_, err := till.Submit(Sale(coffee), id)
	var lost *AnswerLost
	if !errors.As(err, &lost) || lost.RequestID != id {
		t.Fatalf("expected AnswerLost of %s, got %v", id, err)
	}
	must(t, emulator.RemoveFaults())
	receipt, err := till.Submit(Sale(coffee), id)
	must(t, err)
	contains(t, receipt.Journal, "Coffee")
	counted(t, "total", 1)
}

func TestMoney(t *testing.T) {
	fresh(t)
	if half := NewItem("Nails", "0.5", "2.01", "A"); half.TotalAmount != "1.01" {
		t.Fatal(half.TotalAmount)
	}
	small := Sale(NewItem("Bag", "1", "0.1", "A"), NewItem("Straw", "1", "0.2", "A"))
	if small.Payment[0].Amount != "0.30" {
		t.Fatal(small.Payment[0].Amount)
	}
	if receipt := sold(t, small); receipt.TotalAmount != "0.3" {
		t.Fatal(receipt.TotalAmount)
	}
	if _, err := till.Submit(Sale(NewItem("Nails", "a few", "2.01", "A")), newID()); err == nil {
		t.Fatal("a few is a number")
	}
}

func TestCodes(t *testing.T) {
	fresh(t)
	id := newID()
	sell := func(invoice Invoice) error {
		_, err := till.Submit(invoice, id)
		return err
	}
	refused(t, sell(Sale(NewItem("Coffee", "2", "120", "Q"))), "2310", "correct")
	fresh(t)
	missing := Sale(coffee)
	missing.InvoiceType = ""
	refused(t, sell(missing), "2800", "correct")
	fresh(t)
	must(t, emulator.PatchCard(map[string]any{"limit": "100", "sum": "100"}))
	refused(t, sell(Sale(coffee)), "2210", "audit")
	must(t, emulator.RemoveCard())
	refused(t, sell(Sale(coffee)), "1300", "insert-card")
	must(t, emulator.InsertCard())
	refused(t, sell(Sale(coffee)), "1500", "enter-pin")
	must(t, emulator.LockCard())
	refused(t, till.VerifyPin(emulator.Pin), "2110", "call")
}

func TestQR(t *testing.T) {
	fresh(t)
	file := filepath.Join(t.TempDir(), "receipt.png")
	must(t, sold(t, Sale(coffee)).SaveQR(file))
	png, err := os.ReadFile(file)
	must(t, err)
	if !bytes.HasPrefix(png, []byte("\x89PNG\r\n\x1a\n")) {
		t.Fatal("no PNG")
	}
}

func TestDevice(t *testing.T) {
	fresh(t)
	must(t, emulator.Given(map[string]any{"settings": map[string]any{"answerForm": "device"}}))
	t.Cleanup(func() { must(t, emulator.Given(map[string]any{})) })
	id := newID()
	_, err := till.Submit(Sale(coffee), id)
	refused(t, err, "1500", "enter-pin")
	refused(t, till.VerifyPin("0000"), "2100", "enter-pin")
	must(t, till.VerifyPin(emulator.Pin))
	file := filepath.Join(t.TempDir(), "receipt.gif")
	receipt, err := till.Submit(Sale(coffee), id)
	must(t, err)
	must(t, receipt.SaveQR(file))
	gif, err := os.ReadFile(file)
	must(t, err)
	if string(gif[:3]) != "GIF" {
		t.Errorf("no GIF: %q", gif[:3])
	}
}

func TestReset(t *testing.T) {
	fresh(t)
	sold(t, Sale(coffee))
	must(t, emulator.RemoveCard())
	must(t, emulator.Reset())
	counted(t, "total", 0)
	must(t, till.VerifyPin(emulator.Pin))
}
