package fiscal;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The behaviours that clients/behaviours.json lists. With JUnit, make each of them a method with @Test. */
final class TillTest {
    interface Test {
        void run() throws Exception;
    }

    private static final Item COFFEE = Item.of("Coffee", "2", "120", "A");
    private final Emulator emulator;
    private final FiscalClient till;

    private TillTest(Emulator emulator) {
        this.emulator = emulator;
        this.till = new FiscalClient(emulator.url, Duration.ofSeconds(30), 3, Duration.ofMillis(100));
    }

    public static void main(String[] arguments) throws Exception {
        int failed = 0;
        try (var emulator = new Emulator()) {
            for (var test : new TillTest(emulator).tests().entrySet()) {
                try {
                    emulator.reset();
                    test.getValue().run();
                    System.out.println("ok " + test.getKey());
                } catch (Exception | AssertionError error) {
                    failed++;
                    System.out.println("not ok " + test.getKey());
                    error.printStackTrace(System.out);
                }
            }
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    private Map<String, Test> tests() {
        var tests = new LinkedHashMap<String, Test>();
        tests.put("pin", this::pin);
        tests.put("sell", this::sell);
        tests.put("refund", this::refund);
        tests.put("copy", this::copy);
        tests.put("advance", this::advance);
        tests.put("lost-answer", this::lostAnswer);
        tests.put("broken-answer", this::brokenAnswer);
        tests.put("gave-up", this::gaveUp);
        tests.put("money", this::money);
        tests.put("codes", this::codes);
        tests.put("qr", this::qr);
        tests.put("device", this::device);
        tests.put("reset", this::reset);
        return tests;
    }

    private void pin() throws Exception {
        refused("2100", "enter-pin", () -> till.verifyPin("0000"));
        till.verifyPin(emulator.pin);
        same(false, till.status().get("isPinRequired"));
    }

    private void sell() throws Exception {
        till.verifyPin(emulator.pin);
        var receipt = till.submit(Invoice.sale(Item.of("Кафа", "2", "120", "A")), newId());
        contains("Кафа (A)", receipt.journal());
        same(0, receipt.totalAmount().compareTo(new BigDecimal("240")));
        same(1, receipt.totalCounter());
        same(1, emulator.counter("NS"));
        String id = newId();
        var inLatin = till.speaking("sr-Latn-RS").submit(Invoice.sale(COFFEE), id);
        contains("FISKALNI RAČUN", inLatin.journal());
        same(inLatin.invoiceNumber(), till.find(id).invoiceNumber());
        byte[] start = {0x1b, '@'};
        same(true, Arrays.equals(start, Arrays.copyOf(till.escPos(id), 2)));
    }

    private void refund() throws Exception {
        till.verifyPin(emulator.pin);
        var sold = till.submit(Invoice.sale(COFFEE), newId());
        var givenBack = till.submit(Invoice.sale(COFFEE).refund(sold), newId());
        contains(sold.invoiceNumber(), givenBack.journal());
        same(1, emulator.counter("NR"));
    }

    private void copy() throws Exception {
        till.verifyPin(emulator.pin);
        var sold = till.submit(Invoice.sale(COFFEE), newId());
        var copied = till.submit(Invoice.sale(COFFEE).copy(sold), newId());
        contains(sold.invoiceNumber(), copied.journal());
        same(1, emulator.counter("CS"));
    }

    private void advance() throws Exception {
        till.verifyPin(emulator.pin);
        var deposit = Invoice.advance(Item.of("Deposit for a table", "1", "100", "A"));
        var paid = till.submit(deposit, newId());
        var closed = till.submit(deposit.refund(paid), newId());
        var last = till.submit(Invoice.sale(COFFEE).pointingTo(closed), newId());
        contains(closed.invoiceNumber(), last.journal());
        for (var pair : new String[] {"AS", "AR", "NS"}) same(1, emulator.counter(pair));
    }

    private void lostAnswer() throws Exception {
        till.verifyPin(emulator.pin);
        emulator.fault(Map.of("on", "answer", "nth", 1, "kind", "connectionDropped"));
        var requestId = newId();
        var receipt = till.submit(Invoice.sale(COFFEE), requestId);
        same(receipt, till.submit(Invoice.sale(COFFEE), requestId));
        same(1, emulator.counter("total"));
        same(3, emulator.requests(Map.of("requestId", requestId)).size());
        same(1, emulator.requests(Map.of("requestId", requestId, "signed", true)).size());
    }

    private void brokenAnswer() throws Exception {
        till.verifyPin(emulator.pin);
        var impatient = new FiscalClient(emulator.url, Duration.ofSeconds(2), 3, Duration.ofMillis(100));
        emulator.fault(Map.of("on", "answer", "nth", 1, "kind", "short"));
        contains("Coffee", impatient.submit(Invoice.sale(COFFEE), newId()).journal());
        emulator.fault(Map.of("on", "answer", "nth", 1, "kind", "latency", "duration", "60s"));
        contains("Coffee", impatient.submit(Invoice.sale(COFFEE), newId()).journal());
        same(2, emulator.counter("total"));
    }

    private void gaveUp() throws Exception {
        till.verifyPin(emulator.pin);
        emulator.fault(Map.of("on", "answer", "kind", "connectionDropped"));
        var requestId = newId();
        try {
            till.submit(Invoice.sale(COFFEE), requestId);
            throw new AssertionError("an answer came");
        } catch (AnswerLost lost) {
            same(requestId, lost.requestId);
        }
        emulator.removeFaults();
        contains("Coffee", till.submit(Invoice.sale(COFFEE), requestId).journal());
        same(1, emulator.counter("total"));
    }

    private void money() throws Exception {
        till.verifyPin(emulator.pin);
        same(new BigDecimal("1.01"), Item.of("Nails", "0.5", "2.01", "A").totalAmount());
        var small = Invoice.sale(Item.of("Bag", "1", "0.1", "A"), Item.of("Straw", "1", "0.2", "A"));
        same(List.of(Map.of("amount", new BigDecimal("0.30"), "paymentType", "Cash")), small.fields().get("payment"));
        same(new BigDecimal("0.3"), till.submit(small, newId()).totalAmount().stripTrailingZeros());
    }

    private void codes() throws Exception {
        till.verifyPin(emulator.pin);
        var sale = Invoice.sale(COFFEE);
        refused("2310", "correct", () -> till.submit(Invoice.sale(Item.of("Coffee", "2", "120", "Q")), newId()));
        emulator.reset();
        till.verifyPin(emulator.pin);
        refused("2800", "correct", () -> till.submit(sale.with("invoiceType", null), newId()));
        emulator.reset();
        till.verifyPin(emulator.pin);
        var id = newId();
        emulator.patchCard(Map.of("limit", "100", "sum", "100"));
        refused("2210", "audit", () -> till.submit(sale, id));
        emulator.audit();
        same(0, till.submit(sale, id).totalAmount().compareTo(new BigDecimal("240")));
        emulator.removeCard();
        var next = newId();
        refused("1300", "insert-card", () -> till.submit(sale, next));
        emulator.insertCard();
        refused("1500", "enter-pin", () -> till.submit(sale, next));
        emulator.lockCard();
        refused("2110", "call", () -> till.verifyPin(emulator.pin));
    }

    private void qr() throws Exception {
        till.verifyPin(emulator.pin);
        Path file = Files.createTempFile("receipt", ".png");
        till.submit(Invoice.sale(COFFEE), newId()).saveQr(file);
        byte[] head = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
        same(true, Arrays.equals(head, Arrays.copyOf(Files.readAllBytes(file), 8)));
        Files.delete(file);
    }

    private void device() throws Exception {
        emulator.given(Map.of("settings", Map.of("answerForm", "device")));
        try {
            var id = newId();
            refused("1500", "enter-pin", () -> till.submit(Invoice.sale(COFFEE), id));
            refused("2100", "enter-pin", () -> till.verifyPin("0000"));
            till.verifyPin(emulator.pin);
            Path file = Files.createTempFile("receipt", ".gif");
            till.submit(Invoice.sale(COFFEE), id).saveQr(file);
            same("GIF", new String(Files.readAllBytes(file), 0, 3, StandardCharsets.US_ASCII));
            Files.delete(file);
        } finally {
            emulator.given(Map.of());
        }
    }

    private void reset() throws Exception {
        till.verifyPin(emulator.pin);
        till.submit(Invoice.sale(COFFEE), newId());
        emulator.removeCard();
        emulator.reset();
        same(0, emulator.counter("total"));
        till.verifyPin(emulator.pin);
    }

    private static String newId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    private static void same(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) throw new AssertionError("expected " + expected + ", got " + actual);
    }

    private static void contains(String part, String text) {
        if (!text.contains(part)) throw new AssertionError("there is no " + part + " in " + text);
    }

    private static void refused(String code, String action, Test call) throws Exception {
        try {
            call.run();
        } catch (FiscalError error) {
            same(code + " " + action, error.code + " " + error.action);
            return;
        }
        throw new AssertionError(code + " was expected");
    }
}
