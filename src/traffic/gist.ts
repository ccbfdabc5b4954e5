/** The code, the counter or the status codes that say what an answer comes to; "" where it says none of them. */
export function gistOf(answer: string): string {
  try {
    const told = JSON.parse(answer) as { code?: string; invoiceCounter?: string; gsc?: readonly string[] } | string;
    // A PIN that came as text is answered with the bare code, which reads as a number.
    if (typeof told !== "object") return String(told);
    return told.code ?? told.invoiceCounter ?? told.gsc?.join(" ") ?? "";
  } catch {
    return answer.length < 10 ? answer : "";
  }
}
