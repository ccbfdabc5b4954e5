/** A question before something is done that cannot be undone. Its buttons are the answers. */
import { useEffect, useId, useRef } from "preact/hooks";
import { useSpeech } from "./texts.js";

export interface Question {
  /** A question. */
  readonly title: string;
  /** What follows from a yes. */
  readonly means?: string;
  /** Says what is done. */
  readonly answer: string;
  readonly act: () => void;
}

export function Ask({ question, closed }: { readonly question: Question; readonly closed: () => void }) {
  const { say } = useSpeech();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={closed}>
      <h2 id={title}>{question.title}</h2>
      {question.means && <p>{question.means}</p>}
      <div class="row">
        <button type="button" onClick={close}>
          {say("back")}
        </button>
        <button
          type="button"
          class="main"
          onClick={() => {
            close();
            question.act();
          }}
        >
          {question.answer}
        </button>
      </div>
    </dialog>
  );
}
