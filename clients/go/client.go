// Package fiscal is a client for tillseal and services with the same API. Standard library only; Go 1.19 and later.
package fiscal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"strings"
	"time"
)

// Error is a refusal of the service. Action is a word of codes.go: what the till does next.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details string `json:"details"`
	Action  string `json:"-"`
}

func (e *Error) Error() string {
	return strings.TrimSpace(e.Code + " " + e.Message + " " + e.Details)
}

// AnswerLost says that no answer came. The card may have signed: send the same invoice with the same RequestId until an
// answer comes.
type AnswerLost struct {
	RequestID string
	Cause     error
}

func (e *AnswerLost) Error() string {
	return fmt.Sprintf("no answer to %s; send it again with the same RequestId: %v", e.RequestID, e.Cause)
}

func (e *AnswerLost) Unwrap() error { return e.Cause }

// Item has its numbers as decimal text, because a float64 cannot hold exact cents.
type Item struct {
	Name        string      `json:"name"`
	Quantity    json.Number `json:"quantity"`
	UnitPrice   json.Number `json:"unitPrice"`
	Labels      []string    `json:"labels"`
	TotalAmount json.Number `json:"totalAmount"`
}

type Payment struct {
	Amount      json.Number `json:"amount"`
	PaymentType string      `json:"paymentType"`
}

type Invoice struct {
	InvoiceType            string    `json:"invoiceType,omitempty"`
	TransactionType        string    `json:"transactionType"`
	Payment                []Payment `json:"payment"`
	Items                  []Item    `json:"items"`
	Cashier                string    `json:"cashier,omitempty"`
	BuyerID                string    `json:"buyerId,omitempty"`
	InvoiceNumber          string    `json:"invoiceNumber,omitempty"`
	ReferentDocumentNumber string    `json:"referentDocumentNumber,omitempty"`
	ReferentDocumentDT     string    `json:"referentDocumentDT,omitempty"`
}

// Receipt has the fields of the answer that a till needs most.
type Receipt struct {
	InvoiceNumber      string      `json:"invoiceNumber"`
	SdcDateTime        string      `json:"sdcDateTime"`
	Journal            string      `json:"journal"`
	VerificationURL    string      `json:"verificationUrl"`
	VerificationQRCode string      `json:"verificationQRCode"`
	TotalAmount        json.Number `json:"totalAmount"`
	TotalCounter       int         `json:"totalCounter"`
}

type Status struct {
	IsPinRequired bool     `json:"isPinRequired"`
	AuditRequired bool     `json:"auditRequired"`
	Gsc           []string `json:"gsc"`
}

// Client calls a service at URL, such as http://localhost:8431/api/v3. Pause doubles with each attempt.
type Client struct {
	URL      string
	HTTP     *http.Client
	Attempts int
	Pause    time.Duration
}

func NewClient(url string) *Client {
	// The service is on this machine, so ignore a proxy that the environment names.
	direct := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{Proxy: nil}}
	return &Client{URL: strings.TrimRight(url, "/"), HTTP: direct, Attempts: 3, Pause: time.Second}
}

// VerifyPin opens the card. Errors: 2100 (wrong), 2110 (locked), 1300 (no card), 2220.
func (c *Client) VerifyPin(pin string) error {
	answer, err := c.send("POST", "/pin", []byte(pin), map[string]string{"Content-Type": "text/plain"})
	if err != nil {
		return err
	}
	if code := strings.Trim(string(answer), "\" \r\n"); code != "0100" {
		return codeError(code)
	}
	return nil
}

func (c *Client) Status() (*Status, error) {
	answer, err := c.send("GET", "/status", nil, nil)
	if err != nil {
		return nil, err
	}
	status := &Status{}
	return status, json.Unmarshal(answer, status)
}

// Submit signs an invoice. A repeat with the same RequestId is never signed twice: requestID has up to 32 characters, is
// new for each invoice, and the till stores it before it calls. Errors: *Error, and *AnswerLost after the last attempt.
func (c *Client) Submit(invoice Invoice, requestID string) (*Receipt, error) {
	body, err := json.Marshal(invoice)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{"Content-Type": "application/json", "RequestId": requestID}
	for attempt := 0; attempt < c.Attempts; attempt++ {
		if attempt > 0 {
			time.Sleep(c.Pause << (attempt - 1))
		}
		var answer []byte
		answer, err = c.send("POST", "/invoices", body, headers)
		var refusal *Error
		if errors.As(err, &refusal) {
			return nil, refusal
		}
		receipt := &Receipt{}
		if err == nil {
			err = json.Unmarshal(answer, receipt)
		}
		if err == nil {
			return receipt, nil
		}
	}
	return nil, &AnswerLost{requestID, err}
}

func (c *Client) send(method, path string, body []byte, headers map[string]string) ([]byte, error) {
	request, err := http.NewRequest(method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := c.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 400 {
		return nil, errorOf(text)
	}
	return text, nil
}

func errorOf(body []byte) error {
	// Devices send some errors as the code alone.
	bare := strings.Trim(string(body), "\" \r\n")
	if _, known := Codes[bare]; known {
		return codeError(bare)
	}
	record := &Error{}
	if json.Unmarshal(body, record) != nil || record.Code == "" {
		return &Error{Code: "1999", Message: "the answer is not an error record", Action: "repeat"}
	}
	record.Action = actionOf(record.Code)
	return record
}

func codeError(code string) error {
	return &Error{Code: code, Message: Codes[code].Meaning, Action: actionOf(code)}
}

func actionOf(code string) string {
	if known, ok := Codes[code]; ok {
		return known.Action
	}
	return "call"
}

// NewItem is an item of an invoice. Prices include tax. Quantity and price are decimal text such as "0.25"; Submit refuses another text.
func NewItem(name, quantity, unitPrice string, labels ...string) Item {
	total := new(big.Rat).Mul(rational(quantity), rational(unitPrice))
	return Item{name, json.Number(quantity), json.Number(unitPrice), labels, cents(total)}
}

func Sale(items ...Item) Invoice {
	amount := new(big.Rat)
	for _, line := range items {
		amount.Add(amount, rational(line.TotalAmount.String()))
	}
	payment := []Payment{{cents(amount), "Cash"}}
	return Invoice{InvoiceType: "Normal", TransactionType: "Sale", Payment: payment, Items: items}
}

func Advance(items ...Item) Invoice {
	invoice := Sale(items...)
	invoice.InvoiceType = "Advance"
	return invoice
}

// PointingTo names an earlier receipt by number and time. The time chooses the tax rates of refunds and copies.
func (i Invoice) PointingTo(receipt *Receipt) Invoice {
	i.ReferentDocumentNumber = receipt.InvoiceNumber
	i.ReferentDocumentDT = receipt.SdcDateTime
	return i
}

// Refund refunds an invoice. This also closes an advance, whose final invoice then names this refund.
func (i Invoice) Refund(receipt *Receipt) Invoice {
	i.TransactionType = "Refund"
	return i.PointingTo(receipt)
}

func (i Invoice) Copy(receipt *Receipt) Invoice {
	i.InvoiceType = "Copy"
	return i.PointingTo(receipt)
}

// SaveQR writes the QR code: a PNG, or the GIF of a device.
func (r *Receipt) SaveQR(file string) error {
	const prefix = "data:image/png;base64,"
	const gif = "R0lGOD" // the beginning of a GIF in base64
	if !strings.HasPrefix(r.VerificationQRCode, prefix) && !strings.HasPrefix(r.VerificationQRCode, gif) {
		return errors.New("the receipt has no picture of a QR code; look at omitQRCodeGen")
	}
	picture, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.VerificationQRCode, prefix))
	if err != nil {
		return err
	}
	return os.WriteFile(file, picture, 0o644)
}

// rational returns 0 for a text that is not a number; json.Marshal then refuses the field.
func rational(text string) *big.Rat {
	if number, ok := new(big.Rat).SetString(text); ok {
		return number
	}
	return new(big.Rat)
}

// cents rounds a half away from zero.
func cents(amount *big.Rat) json.Number { return json.Number(amount.FloatString(2)) }
