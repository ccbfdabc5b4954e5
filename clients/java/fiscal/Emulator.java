package fiscal;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A test fixture: starts `tillseal serve` on free ports and drives its card. For your tests, not for a till.
 * Set TILLSEAL_URL and TILLSEAL_CONTROL_URL, as tillseal rehearse does, to use an emulator that is already running.
 */
public final class Emulator implements AutoCloseable {
    public final String url;
    public final String controlUrl;
    public final String pin = "1234";
    private final HttpClient http = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();
    private Process process;

    public Emulator() throws IOException {
        String running = System.getenv("TILLSEAL_URL");
        String control = System.getenv("TILLSEAL_CONTROL_URL");
        String said = running == null || control == null ? start() : "";
        url = said.isEmpty() ? running + "/api/v3" : found("listens on (http://\\S+/api/v3)", said);
        controlUrl = said.isEmpty() ? control : found("(?m)^(http://\\S+)/control drives", said);
    }

    /** @return its output until it is ready */
    private String start() throws IOException {
        // Not `npx tillseal`: the signal that ends npx would leave the emulator behind.
        String command = System.getenv().getOrDefault("TILLSEAL", "node node_modules/tillseal/dist/src/cli.js");
        var words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of("serve", "--port", "0", "--control-port", "0", "--no-authority", "--until-stdin-ends"));
        // The end of its stdin, a pipe by default, ends the emulator, also when this program is killed.
        process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        // Stop the emulator also after System.exit or Ctrl-C.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        var said = new StringBuilder();
        var lines = process.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.strip().equals("ready")) return said.toString();
            said.append(line).append('\n');
        }
        throw new IOException(command + " did not start: " + said);
    }

    private static String found(String pattern, String said) throws IOException {
        var match = Pattern.compile(pattern).matcher(said);
        if (!match.find()) throw new IOException("tillseal did not say its address: " + said);
        return match.group(1);
    }

    /** Does a step of a scenario: {@code Map.of("card", "unplug")}. */
    public void doStep(Map<String, Object> step) throws IOException {
        control("POST", "/do", step);
    }

    public void insertCard() throws IOException {
        doStep(Map.of("card", "insert"));
    }

    public void removeCard() throws IOException {
        doStep(Map.of("card", "remove"));
    }

    public void lockCard() throws IOException {
        patchCard(Map.of("locked", true));
    }

    /** {@code Map.of("limit", "100")}, {@code Map.of("locked", true)}: amounts are decimal text. */
    public void patchCard(Map<String, Object> fields) throws IOException {
        doStep(Map.of("card", Map.of("patch", fields)));
    }

    /** Number of invoices that the card has signed: "total", or a pair of types by its letters, such as "NS". */
    public int counter(String name) throws IOException {
        var card = Json.readObject(control("GET", "/card", null));
        var counters = (Map<?, ?>) card.get("counters");
        return ((Number) counters.get(name)).intValue();
    }

    /** {@code Map.of("on", "sign", "kind", "removedAfter")}; with {@code "nth", 1} only the first time. */
    public void fault(Map<String, Object> fault) throws IOException {
        doStep(Map.of("faults", List.of(fault)));
    }

    public void removeFaults() throws IOException {
        doStep(Map.of("faults", "clear"));
    }

    /** Lets the tax authority audit the card: the sum becomes 0. */
    public void audit() throws IOException {
        doStep(Map.of("authority", "audit"));
    }

    /**
     * Requests since the start or the last reset, the oldest first: {@code Map.of("requestId", "order-1")},
     * {@code Map.of("signed", true)}.
     */
    public List<?> requests(Map<String, Object> where) throws IOException {
        return (List<?>) Json.readObject(control("POST", "/traffic/find", Map.of("where", where))).get("requests");
    }

    /** Resets card, store, clock and faults to the start. */
    public void reset() throws IOException {
        control("POST", "/reset", Map.of());
    }

    /** Restarts in another situation; an empty map is the usual one. */
    public void given(Map<String, Object> given) throws IOException {
        control("POST", "/given", given);
    }

    @Override
    public void close() {
        if (process == null) return;
        process.destroy();
        process.onExit().join();
        process = null;
    }

    private String control(String method, String path, Map<String, Object> body) throws IOException {
        var request = HttpRequest.newBuilder(URI.create(controlUrl + "/control" + path))
            .timeout(Duration.ofSeconds(30))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.write(body)))
            .build();
        try {
            var answer = http.send(request, BodyHandlers.ofString());
            if (answer.statusCode() >= 300) throw new IOException(method + " " + path + ": " + answer.body());
            return answer.body();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException(error);
        }
    }
}
