package fiscal;

import java.util.Map;

// Written by `npm run docs` from src/fiscal/codes.ts. Do not edit.

/** What a till does next, and what the code means. */
public record FiscalCodes(String action, String meaning) {
    static FiscalCodes of(String code) {
        return CODES.getOrDefault(code, new FiscalCodes("call", "unknown code"));
    }

    public static final Map<String, FiscalCodes> CODES = Map.ofEntries(
        Map.entry("0000", new FiscalCodes("none", "All OK")),
        Map.entry("0100", new FiscalCodes("none", "PIN verified")),
        Map.entry("0210", new FiscalCodes("none", "Tax authority reachable")),
        Map.entry("0220", new FiscalCodes("none", "Tax authority not reachable")),
        Map.entry("1100", new FiscalCodes("audit", "Store of unsent audit packages is 90 % full")),
        Map.entry("1300", new FiscalCodes("insert-card", "Smart card is not present")),
        Map.entry("1400", new FiscalCodes("audit", "Audit required")),
        Map.entry("1500", new FiscalCodes("enter-pin", "PIN required")),
        Map.entry("1999", new FiscalCodes("repeat", "Other warning, see mssc or details")),
        Map.entry("2100", new FiscalCodes("enter-pin", "Incorrect PIN")),
        Map.entry("2110", new FiscalCodes("call", "Card locked: no PIN attempts are left")),
        Map.entry("2210", new FiscalCodes("audit", "Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up")),
        Map.entry("2220", new FiscalCodes("repeat", "Cannot connect to the Secure Element")),
        Map.entry("2230", new FiscalCodes("call", "Card protocol is not supported")),
        Map.entry("2310", new FiscalCodes("correct", "Invalid tax labels")),
        Map.entry("2400", new FiscalCodes("call", "Not configured")),
        Map.entry("2800", new FiscalCodes("correct", "Required field is missing")),
        Map.entry("2801", new FiscalCodes("correct", "Value is too long")),
        Map.entry("2802", new FiscalCodes("correct", "Value is too short")),
        Map.entry("2803", new FiscalCodes("correct", "Value has the wrong length")),
        Map.entry("2804", new FiscalCodes("correct", "Value is out of range")),
        Map.entry("2805", new FiscalCodes("correct", "Invalid value")),
        Map.entry("2806", new FiscalCodes("correct", "Invalid format")),
        Map.entry("2807", new FiscalCodes("correct", "List has too few entries")),
        Map.entry("2808", new FiscalCodes("correct", "List has too many entries")),
        Map.entry("2809", new FiscalCodes("call", "Invoice time is outside the validity of the card's certificate"))
    );
}
