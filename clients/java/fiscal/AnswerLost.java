package fiscal;

/** No answer came. The card may have signed: send the same invoice with the same RequestId until an answer comes. */
public final class AnswerLost extends Exception {
    private static final long serialVersionUID = 1;

    public final String requestId;

    AnswerLost(String requestId, Throwable cause) {
        super("no answer to " + requestId + "; send it again with the same RequestId", cause);
        this.requestId = requestId;
    }
}
