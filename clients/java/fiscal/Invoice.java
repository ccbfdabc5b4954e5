package fiscal;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** An invoice as the till sends it. Each method returns a new one. */
public record Invoice(Map<String, Object> fields) {
    /** Paid in cash. Use {@code with("payment", ...)} for other payments. */
    public static Invoice sale(Item... items) {
        var amount = Stream.of(items).map(Item::totalAmount).reduce(BigDecimal.ZERO, BigDecimal::add);
        var fields = new LinkedHashMap<String, Object>();
        fields.put("invoiceType", "Normal");
        fields.put("transactionType", "Sale");
        fields.put("payment", List.of(Map.of("amount", amount, "paymentType", "Cash")));
        fields.put("items", Stream.of(items).map(Item::fields).toList());
        return new Invoice(fields);
    }

    public static Invoice advance(Item... items) {
        return sale(items).with("invoiceType", "Advance");
    }

    /** A field of the API, such as "cashier" or "buyerId". null leaves it out. */
    public Invoice with(String field, Object value) {
        var changed = new LinkedHashMap<>(fields);
        changed.put(field, value);
        return new Invoice(changed);
    }

    /** Number and time of an earlier receipt. The time chooses the tax rates of refunds and copies. */
    public Invoice pointingTo(Receipt receipt) {
        return with("referentDocumentNumber", receipt.invoiceNumber()).with("referentDocumentDT", receipt.sdcDateTime());
    }

    /** Refunds an invoice. This also closes an advance, whose final invoice then names this refund. */
    public Invoice refund(Receipt receipt) {
        return pointingTo(receipt).with("transactionType", "Refund");
    }

    public Invoice copy(Receipt receipt) {
        return pointingTo(receipt).with("invoiceType", "Copy");
    }
}
