package fiscal;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** JSON as Map, List, String, BigDecimal, Boolean and null. Use your project's library instead if it has one. */
final class Json {
    private final String text;
    private int at = 0;

    private Json(String text) {
        this.text = text;
    }

    static String write(Object value) {
        if (value instanceof Map<?, ?> map) {
            var fields = new StringJoiner(",", "{", "}");
            map.forEach((name, field) -> fields.add(quoted((String) name) + ":" + write(field)));
            return fields.toString();
        }
        if (value instanceof List<?> list) {
            var entries = new StringJoiner(",", "[", "]");
            list.forEach(entry -> entries.add(write(entry)));
            return entries.toString();
        }
        if (value instanceof BigDecimal number) return number.toPlainString();
        return value instanceof String string ? quoted(string) : String.valueOf(value);
    }

    private static String quoted(String string) {
        var out = new StringBuilder("\"");
        for (char c : string.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }

    /** @throws IOException if the text is truncated or not valid JSON */
    static Object read(String text) throws IOException {
        var json = new Json(text);
        try {
            Object value = json.value();
            if (json.next() != 0) throw json.wrong();
            return value;
        } catch (IndexOutOfBoundsException | NumberFormatException error) {
            throw json.wrong();
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> readObject(String text) throws IOException {
        if (read(text) instanceof Map<?, ?> map) return (Map<String, Object>) map;
        throw new IOException("a JSON object was expected");
    }

    private Object value() throws IOException {
        return switch (next()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() throws IOException {
        var map = new LinkedHashMap<String, Object>();
        at++;
        if (next() == '}') at++;
        else {
            do {
                if (next() != '"') throw wrong();
                String name = string();
                skip(':');
                map.put(name, value());
            } while (goesOn('}'));
        }
        return map;
    }

    private List<Object> array() throws IOException {
        var list = new ArrayList<Object>();
        at++;
        if (next() == ']') at++;
        else {
            do list.add(value());
            while (goesOn(']'));
        }
        return list;
    }

    private String string() {
        var out = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char c = text.charAt(at);
            if (c != '\\') out.append(c);
            else if ((c = text.charAt(++at)) == 'u') {
                out.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                int known = "bfnrt".indexOf(c);
                out.append(known < 0 ? c : "\b\f\n\r\t".charAt(known));
            }
        }
        at++;
        return out.toString();
    }

    private BigDecimal number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
        return new BigDecimal(text.substring(start, at));
    }

    private Object word(String word, Object value) throws IOException {
        if (!text.startsWith(word, at)) throw wrong();
        at += word.length();
        return value;
    }

    private boolean goesOn(char end) throws IOException {
        char c = next();
        if (c != ',' && c != end) throw wrong();
        at++;
        return c == ',';
    }

    private void skip(char expected) throws IOException {
        if (next() != expected) throw wrong();
        at++;
    }

    /** The next character that is not a space; 0 at the end. */
    private char next() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IOException wrong() {
        return new IOException("no JSON at character " + at);
    }
}
