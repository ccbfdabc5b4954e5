/** The code, counter or status codes that sum up an answer; "" if it has none of them. */
export function shortResult(answer: string): string {
  try {
    const parsed = JSON.parse(answer) as { code?: string; invoiceCounter?: string; gsc?: readonly string[] } | string;
    // A PIN sent as text is answered with the bare code, which parses as a number.
    if (typeof parsed !== "object") return String(parsed);
    return parsed.code ?? parsed.invoiceCounter ?? parsed.gsc?.join(" ") ?? "";
  } catch {
    return answer.length < 10 ? answer : "";
  }
}
