package fiscal;

/** The service refused the request. */
public final class FiscalError extends Exception {
    private static final long serialVersionUID = 1;

    /** Four digits. */
    public final String code;
    /** What the till does next: one of the actions in FiscalCodes. */
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
