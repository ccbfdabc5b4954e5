package fiscal;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/** An item of an invoice. Prices include tax. */
public record Item(String name, BigDecimal quantity, BigDecimal unitPrice, List<String> labels, BigDecimal totalAmount) {
    /**
     * @param quantity decimal text with at most 3 decimals, such as "0.25"
     * @param unitPrice decimal text with at most 2 decimals
     */
    public static Item of(String name, String quantity, String unitPrice, String... labels) {
        var price = new BigDecimal(unitPrice);
        var total = price.multiply(new BigDecimal(quantity)).setScale(2, RoundingMode.HALF_UP);
        return new Item(name, new BigDecimal(quantity), price, List.of(labels), total);
    }

    Map<String, Object> fields() {
        return Map.of(
            "name", name,
            "quantity", quantity,
            "unitPrice", unitPrice,
            "labels", labels,
            "totalAmount", totalAmount
        );
    }
}
