/** Starts an audit of the card after a question, and shows the result. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Ask, type Question } from "./ask.js";
import { startAudit } from "./audit-start.js";
import { type TextKey, useSpeech } from "./texts.js";
import { Problem, useAction } from "./ui.js";

interface AuditStart {
  readonly busy: boolean;
  /** Asks the person, then starts an audit. */
  readonly ask: () => void;
  /** Requests the proof of an open audit again. */
  readonly askProofAgain: () => void;
  /** The result and the question. They stay in the page while the buttons come and go. */
  readonly outcome: ComponentChildren;
}

export function useAuditStart(changed: () => void): AuditStart {
  const { say } = useSpeech();
  const [question, setQuestion] = useState<Question>();
  const [message, setMessage] = useState<TextKey>();
  const { busy, problem, run } = useAction(changed);
  const start = (done: TextKey) => {
    setMessage(undefined);
    run(async () => {
      const obstacle = await startAudit(say, false);
      if (obstacle !== null) throw new Error(obstacle);
      setMessage(done);
    });
  };
  return {
    busy,
    ask: () =>
      setQuestion({
        title: say("startAuditAsk"),
        means: say("startAuditMeans"),
        answer: say("startAudit"),
        act: () => start("auditStarted"),
      }),
    askProofAgain: () => start("proofAskedAgain"),
    outcome: (
      <>
        <p role="status">{message && say(message)}</p>
        <Problem text={problem} />
        {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
      </>
    ),
  };
}
