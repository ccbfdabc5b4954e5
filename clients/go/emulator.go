package fiscal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Emulator is a test fixture: it starts `tillseal serve` on free ports and drives its card. For your tests, not for a
// till.
type Emulator struct {
	URL, ControlURL, Pin string

	process *exec.Cmd
	client  http.Client
}

var (
	serviceAddress = regexp.MustCompile(`listens on (http://\S+/api/v3)`)
	controlAddress = regexp.MustCompile(`(?m)^(http://\S+)/control drives`)
)

// StartEmulator uses the emulator of TILLSEAL_URL and TILLSEAL_CONTROL_URL if they are set, as tillseal rehearse does.
func StartEmulator() (*Emulator, error) {
	e := &Emulator{Pin: "1234", URL: os.Getenv("TILLSEAL_URL"), ControlURL: os.Getenv("TILLSEAL_CONTROL_URL")}
	e.client = http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{Proxy: nil}}
	if e.URL != "" && e.ControlURL != "" {
		e.URL += "/api/v3"
		return e, nil
	}
	return e, e.start()
}

func (e *Emulator) start() error {
	// Not `npx tillseal`: the signal that ends npx would leave the emulator behind.
	command := os.Getenv("TILLSEAL")
	if command == "" {
		command = "node node_modules/tillseal/dist/src/cli.js"
	}
	words := append(strings.Fields(command), "serve", "--port", "0", "--control-port", "0", "--no-authority", "--until-stdin-ends")
	e.process = exec.Command(words[0], words[1:]...)
	// Its end ends the emulator, also when this program is killed.
	if _, err := e.process.StdinPipe(); err != nil {
		return err
	}
	output, err := e.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := e.process.Start(); err != nil {
		return err
	}
	said := ""
	for lines := bufio.NewScanner(output); lines.Scan(); {
		said += lines.Text() + "\n"
		if strings.TrimSpace(lines.Text()) != "ready" {
			continue
		}
		service, control := serviceAddress.FindStringSubmatch(said), controlAddress.FindStringSubmatch(said)
		if service == nil || control == nil {
			break
		}
		e.URL, e.ControlURL = service[1], control[1]
		return nil
	}
	e.Close()
	return fmt.Errorf("%s did not start: %s", command, said)
}

// Do does a step of a scenario: {"card": "unplug"}, {"clock": {"advance": "1h"}}.
func (e *Emulator) Do(step map[string]any) error { return e.control("POST", "/do", step, nil) }

func (e *Emulator) InsertCard() error { return e.Do(map[string]any{"card": "insert"}) }

func (e *Emulator) RemoveCard() error { return e.Do(map[string]any{"card": "remove"}) }

func (e *Emulator) LockCard() error { return e.PatchCard(map[string]any{"locked": true}) }

// PatchCard takes {"limit": "100"}, {"locked": true}: amounts are decimal text.
func (e *Emulator) PatchCard(fields map[string]any) error {
	return e.Do(map[string]any{"card": map[string]any{"patch": fields}})
}

// Counters has "total", and each pair of types by its letters, such as "NS".
func (e *Emulator) Counters() (map[string]int, error) {
	var card struct{ Counters map[string]int }
	err := e.control("GET", "/card", nil, &card)
	return card.Counters, err
}

func (e *Emulator) Fault(fault map[string]any) error {
	return e.Do(map[string]any{"faults": []any{fault}})
}

func (e *Emulator) RemoveFaults() error { return e.Do(map[string]any{"faults": "clear"}) }

// SentRequest is a request of the till. Signed is false for a repeat that got the same receipt again.
type SentRequest struct {
	Method, Path, Code string
	RequestID          string `json:"requestId"`
	Status             int
	Body, Answer       json.RawMessage
	Signed             bool
}

// Requests finds requests since the start or the last reset: {"requestId": "order-1"}, {"signed": true}.
func (e *Emulator) Requests(where map[string]any) ([]SentRequest, error) {
	var found struct{ Requests []SentRequest }
	err := e.control("POST", "/traffic/find", map[string]any{"where": where}, &found)
	return found.Requests, err
}

// Given restarts in another situation; an empty map is the usual one.
func (e *Emulator) Given(given map[string]any) error { return e.control("POST", "/given", given, nil) }

// Reset goes back to the start: card, store, clock, faults.
func (e *Emulator) Reset() error { return e.control("POST", "/reset", map[string]any{}, nil) }

// Close ends the emulator that StartEmulator started.
func (e *Emulator) Close() {
	if e.process == nil {
		return
	}
	// Windows has no SIGTERM.
	if e.process.Process.Signal(syscall.SIGTERM) != nil {
		_ = e.process.Process.Kill()
	}
	_ = e.process.Wait()
	e.process = nil
}

func (e *Emulator) control(method, path string, body, into any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, e.ControlURL+"/control"+path, sent)
	if err != nil {
		return err
	}
	answer, err := e.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, path, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}
