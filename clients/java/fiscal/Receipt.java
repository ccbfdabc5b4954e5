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
    /** The beginning of a GIF in base64. */
    private static final String GIF = "R0lGOD";

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

    /** Writes the QR code: a PNG, or the GIF of a device. */
    public void saveQr(Path file) throws IOException {
        if (!(fields.get("verificationQRCode") instanceof String data)
                || !data.startsWith(PNG) && !data.startsWith(GIF)) {
            throw new IllegalStateException("the receipt has no picture of a QR code; look at omitQRCodeGen");
        }
        Files.write(file, Base64.getDecoder().decode(data.replace(PNG, "")));
    }
}
