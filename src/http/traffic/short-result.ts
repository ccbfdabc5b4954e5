/** The code, the counter or the status codes of an answer, as a short text; empty if the answer has none of them. */
export function shortResult(answer: string): string {
  try {
    const parsed = JSON.parse(answer) as { code?: string; invoiceCounter?: string; gsc?: readonly string[] } | string;
    // The answer to a PIN that was sent as text is the bare code, which parses as a number.
    if (typeof parsed !== "object") return String(parsed);
    return parsed.code ?? parsed.invoiceCounter ?? parsed.gsc?.join(" ") ?? "";
  } catch {
    return answer.length < 10 ? answer : "";
  }
}
