/**
 * The page Help: what each code means and what to do, in the reader's language. Banners link to the paragraph of their
 * code.
 */
import { useEffect } from "preact/hooks";
import { type MeaningLanguage, meaningOfCode } from "../../fiscal/code-meanings.js";
import type { FiscalCode } from "../../fiscal/codes.js";
import type { HelpRecord } from "../records/help.js";
import { useOnce } from "./api.js";
import OWN_CODES from "./texts/own-codes.json" with { type: "json" };
import { pairIn } from "./texts/pair.js";
import { type TextKey, useSpeech } from "./texts.js";
import { Waiting } from "./ui.js";

/** What a shop does about a code, in addition to the advice of its findings. */
const ADVICE: Readonly<Record<string, TextKey>> = {
  "1999": "help1999",
  "2100": "helpPin",
  "1500": "helpForgottenPin",
  "2110": "helpForgottenPin",
};

/** @param code the paragraph to show first; "" shows the page from its top */
export function HelpPage({ code }: { readonly code: string }) {
  const { say } = useSpeech();
  const help = useOnce<HelpRecord>("/console/help");
  const isThere = help !== undefined;
  useEffect(() => {
    if (code === "" || !isThere) return;
    const paragraph = document.getElementById(`help-${code}`);
    paragraph?.scrollIntoView();
    paragraph?.focus({ preventScroll: true });
  }, [code, isThere]);
  return (
    <article class="panel help">
      <h1>{say("help")}</h1>
      <p class="muted">{say("helpAbout")}</p>
      {!help && <Waiting problem={undefined} />}
      {help?.map((row) => (
        <Paragraph key={row.code} row={row} chosen={row.code === code} />
      ))}
    </article>
  );
}

function Paragraph({ row, chosen }: { readonly row: HelpRecord[number]; readonly chosen: boolean }) {
  const { say, language, finding } = useSpeech();
  const { code, findings } = row;
  const todo = ADVICE[code] ?? (isOfRequest(code) ? "helpRequest" : undefined);
  return (
    <section id={`help-${code}`} tabIndex={-1} class={chosen ? "chosen" : ""}>
      <h2>
        {code}{" "}
        {code in OWN_CODES
          ? pairIn(language, OWN_CODES[code as keyof typeof OWN_CODES])
          : meaningOfCode(code as FiscalCode, language satisfies MeaningLanguage)}
      </h2>
      {todo && <p>{say(todo)}</p>}
      {findings.map((key) => {
        const { sentence, advice, technicians } = finding({ key, values: {} });
        return (
          <div key={key}>
            <p>
              <strong>{general(sentence)}</strong> {general(advice)}
            </p>
            {technicians !== undefined && (
              <p class="muted">
                {say("technicians")}: {general(technicians)}
              </p>
            )}
          </div>
        );
      })}
    </section>
  );
}

/** Whether the code means that the request of the till is wrong. */
function isOfRequest(code: string): boolean {
  return code === "2310" || (code.startsWith("28") && code !== "2809");
}

/**
 * Replaces the places for values in a text with `…`, because the page is for every till and has no values of one till.
 */
function general(text: string): string {
  return text.replaceAll(/\{\w+\}/g, "…");
}
