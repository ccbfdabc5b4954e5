/** Shows in a sentence whether the till can sell, what to do, and which codes a POS gets. */
import { Fragment } from "preact";
import type { CardReason } from "../../secure-element/card-reason.js";
import type { Finding } from "../../state/finding.js";
import { type TillVerdict, verdictOf } from "../verdict.js";
import { type Speech, useSpeech } from "./texts.js";

const SIGNS = { good: "M7 17l6 6 12-13", care: "M16 8v10M16 23v1", bad: "M9 9l14 14M23 9L9 23" } as const;

/** Returns the verdict in the chosen language. @param findings undefined if the service does not answer */
export function verdictIn({ say, finding }: Speech, findings: readonly Finding[] | undefined): TillVerdict {
  if (findings)
    return verdictOf(findings, { text: finding, ready: { sentence: say("ready"), advice: say("readyAdvice") } });
  return { mood: "bad", sentence: say("notReached"), advice: say("notReachedAdvice"), codes: [], further: [] };
}

interface SentenceProps {
  readonly verdict: TillVerdict;
  readonly why?: CardReason;
}

export function Sentence({ verdict, why }: SentenceProps) {
  const { mood, sentence, advice, technicians, codes, further } = verdict;
  const { say, cardReason } = useSpeech();
  return (
    <>
      {/* The sign is for people who cannot see the colours. */}
      <svg class="sign" viewBox="0 0 32 32" aria-hidden="true">
        <path d={SIGNS[mood]} />
      </svg>
      <div role="status" class="sentence">
        <p class="verdict" tabIndex={-1}>
          {sentence}
        </p>
        <p>
          {advice} {codes.length > 0 && <Codes codes={codes} />}
        </p>
        {further.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {why && <p class="reason">{cardReason(why)}</p>}
        {technicians !== undefined && (
          <details>
            <summary>{say("technicians")}</summary>
            <p>{technicians}</p>
          </details>
        )}
      </div>
    </>
  );
}

/** Each code links to its paragraph on the page Help. */
function Codes({ codes }: Pick<TillVerdict, "codes">) {
  const { say } = useSpeech();
  return (
    <span class="code">
      {say("codeForTills")}{" "}
      {codes.map((code, i) => (
        <Fragment key={code}>
          {i > 0 && ", "}
          <a href={`#/help/${code}`}>{code}</a>
        </Fragment>
      ))}
    </span>
  );
}
