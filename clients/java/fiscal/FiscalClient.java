package fiscal;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A client for tillseal and services with the same API. Standard library only; Java 17 and later. */
public final class FiscalClient {
    private final String url;
    private final Duration timeout;
    private final int attempts;
    private final Duration pause;
    private final HttpClient http;
    /** Of receipts and of error messages; empty lets the service choose. */
    private String language = "";

    /** @param url such as {@code http://localhost:8431/api/v3} */
    public FiscalClient(String url) {
        this(url, Duration.ofSeconds(30), 3, Duration.ofSeconds(1));
    }

    /**
     * @param timeout of one attempt, from the connection to the last byte
     * @param pause before the second attempt; it doubles with each further attempt
     */
    public FiscalClient(String url, Duration timeout, int attempts, Duration pause) {
        this.url = url.replaceAll("/+$", "");
        this.timeout = timeout;
        this.attempts = attempts;
        this.pause = pause;
        // The service is on this machine, so ignore a proxy that the environment names. It speaks HTTP 1.1.
        this.http = HttpClient.newBuilder()
            .proxy(HttpClient.Builder.NO_PROXY)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    }

    /** @param tag of receipts and of error messages, such as {@code sr-Latn-RS} */
    public FiscalClient speaking(String tag) {
        var client = new FiscalClient(url, timeout, attempts, pause);
        client.language = tag;
        return client;
    }

    /** The stored receipt of an earlier submit. FiscalError: the service does not know the RequestId. */
    public Receipt find(String requestId) throws FiscalError, IOException {
        return new Receipt(Json.readObject(send("/invoices/" + requestId, HttpRequest.newBuilder())));
    }

    /** The same receipt as bytes for a receipt printer (ESC/POS). */
    public byte[] escPos(String requestId) throws FiscalError, IOException {
        var request = HttpRequest.newBuilder();
        return sendForBytes("/invoices/" + requestId + "/escpos", request, "*/*");
    }

    /** Opens the card. FiscalError: 2100 (wrong), 2110 (locked), 1300 (no card), 2220. */
    public void verifyPin(String pin) throws FiscalError, IOException {
        String answer = send("/pin", body(pin, "text/plain"));
        String code = answer.strip().replace("\"", "");
        if (!code.equals("0100")) throw new FiscalError(code);
    }

    public Map<String, Object> status() throws FiscalError, IOException {
        return Json.readObject(send("/status", HttpRequest.newBuilder()));
    }

    /**
     * Signs an invoice. A repeat with the same RequestId is never signed twice.
     * @param requestId up to 32 characters, new for each invoice and stored by the till before it calls
     * @throws AnswerLost after the last attempt
     */
    public Receipt submit(Invoice invoice, String requestId) throws FiscalError, AnswerLost {
        String body = Json.write(invoice.fields());
        IOException lost = null;
        for (int attempt = 0; attempt < attempts; attempt++) {
            try {
                if (attempt > 0) Thread.sleep(pause.multipliedBy(1L << (attempt - 1)).toMillis());
                var request = body(body, "application/json").header("RequestId", requestId);
                return new Receipt(Json.readObject(send("/invoices", request)));
            } catch (IOException error) {
                lost = error;
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw new AnswerLost(requestId, error);
            }
        }
        throw new AnswerLost(requestId, lost);
    }

    private static HttpRequest.Builder body(String text, String type) {
        return HttpRequest.newBuilder().POST(BodyPublishers.ofString(text)).header("Content-Type", type);
    }

    /** @throws IOException if no whole answer came in time */
    private String send(String path, HttpRequest.Builder request) throws FiscalError, IOException {
        return new String(sendForBytes(path, request, "application/json"), StandardCharsets.UTF_8);
    }

    private byte[] sendForBytes(String path, HttpRequest.Builder request, String accept) throws FiscalError, IOException {
        request.uri(URI.create(url + path)).header("Accept", accept);
        if (!language.isEmpty()) request.header("Accept-Language", language);
        var whole = request.build();
        // The timeout of HttpRequest ends with the headers; this one includes the body.
        var pending = http.sendAsync(whole, BodyHandlers.ofByteArray());
        try {
            HttpResponse<byte[]> answer = pending.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (answer.statusCode() >= 400) throw errorOf(new String(answer.body(), StandardCharsets.UTF_8));
            return answer.body();
        } catch (TimeoutException error) {
            pending.cancel(true);
            throw new IOException("no answer within " + timeout, error);
        } catch (ExecutionException error) {
            throw new IOException(error.getCause());
        } catch (InterruptedException error) {
            pending.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException(error);
        }
    }

    private static FiscalError errorOf(String body) {
        // Devices send some errors as the code alone.
        String bare = body.strip().replace("\"", "");
        if (bare.matches("\\d{4}")) return new FiscalError(bare);
        try {
            Object record = Json.read(body);
            if (record instanceof Map<?, ?> fields && fields.get("code") instanceof String code) {
                return new FiscalError(code, text(fields.get("message")), text(fields.get("details")));
            }
        } catch (IOException error) {
            // The answer is not from the service, but for example from a proxy.
        }
        return new FiscalError("1999", "the answer is not an error record", body);
    }

    private static String text(Object value) {
        return value == null ? "" : value.toString();
    }
}
