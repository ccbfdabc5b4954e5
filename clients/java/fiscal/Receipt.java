package fiscal;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;

/** The answer of the service. {@code fields} has all of its fields; numbers are BigDecimal. */
public record Receipt(Map<String, Object> fields) {
    private static final String PNG = "data:image/png;base64,";

    public String invoiceNumber() {
        return (String) fields.get("invoiceNumber");
    }

    public String sdcDateTime() {
        return (String) fields.get("sdcDateTime");
    }

    /** The text to print; null with omitTextualRepresentation. */
    public String journal() {
        return (String) fields.get("journal");
    }

    public BigDecimal totalAmount() {
        return (BigDecimal) fields.get("totalAmount");
    }

    public int totalCounter() {
        return ((BigDecimal) fields.get("totalCounter")).intValueExact();
    }

    /** Writes the QR code as a PNG file. */
    public void saveQr(Path file) throws IOException {
        if (!(fields.get("verificationQRCode") instanceof String data) || !data.startsWith(PNG)) {
            throw new IllegalStateException("the receipt has no PNG; look at omitQRCodeGen and the setting qrFormat");
        }
        Files.write(file, Base64.getDecoder().decode(data.substring(PNG.length())));
    }
}
