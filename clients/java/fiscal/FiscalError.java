package fiscal;

/** The service refused. */
public final class FiscalError extends Exception {
    private static final long serialVersionUID = 1;

    /** Four digits. */
    public final String code;
    /** A word of FiscalCodes: what the till does next. */
    public final String action;
    public final String details;

    public FiscalError(String code, String message, String details) {
        super((code + " " + message + " " + details).strip());
        this.code = code;
        this.action = FiscalCodes.of(code).action();
        this.details = details;
    }

    FiscalError(String code) {
        this(code, FiscalCodes.of(code).meaning(), "");
    }
}
