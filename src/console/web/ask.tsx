/** Asks a person before an action that cannot be undone. The buttons of the dialog are the answers. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { PinField } from "./pin-field.js";
import { useSpeech } from "./texts.js";

export interface ConsoleAnswer {
  /** Text of the button, which names the action. */
  readonly answer: string;
  /** Does the action. @param pin the PIN that the person entered; "" if the question does not ask for a PIN */
  readonly act: (pin: string) => void;
}

export interface Question extends ConsoleAnswer {
  /** The question, as the title of the dialog. */
  readonly title: string;
  /** Text about the consequences of the action. */
  readonly means?: string;
  /** A safer action. Its button is the first one and the main button of the dialog. */
  readonly safer?: ConsoleAnswer;
  /** Whether the action needs the card's PIN. */
  readonly asksPin?: boolean;
}

export function Ask({ question, closed }: { readonly question: Question; readonly closed: () => void }) {
  const { say } = useSpeech();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const field = useId();
  const [pin, setPin] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  const { safer } = question;
  const button = ({ answer, act }: ConsoleAnswer, isMain: boolean) => (
    <button
      type="button"
      class={isMain ? "main" : ""}
      onClick={() => {
        close();
        act(pin);
      }}
    >
      {answer}
    </button>
  );
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={closed}>
      <h2 id={title}>{question.title}</h2>
      {question.means && <p>{question.means}</p>}
      {question.asksPin && (
        <p>
          <label for={field}>{say("settingsPin")}</label> <PinField id={field} value={pin} change={setPin} />
        </p>
      )}
      <div class="row">
        <button type="button" onClick={close}>
          {say("back")}
        </button>
        {safer && button(safer, true)}
        {button(question, !safer)}
      </div>
    </dialog>
  );
}
