/** Parts that every page uses. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isDay } from "../../fiscal/zoned.js";
import { useSpeech } from "./texts.js";

export function Panel({
  title,
  children,
  class: className = "",
  id,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly id?: string | undefined;
}) {
  return (
    <section class={`panel ${className}`} id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Shows names and values. A name without a value is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export interface ActionState {
  readonly busy: boolean;
  /** Why the last action failed; "" if it did not fail. */
  readonly problem: string;
  readonly run: (action: () => Promise<unknown>) => void;
}

/** Runs actions that take a moment and can fail. @param done called after each action */
export function useAction(done: () => void = () => undefined): ActionState {
  const { say } = useSpeech();
  const [underWay, setUnderWay] = useState(0);
  const [problem, setProblem] = useState("");
  const asked = useRef<Element | null>(null);
  useEffect(() => {
    if (underWay === 0) focusAgain(asked);
  }, [underWay]);
  const run: ActionState["run"] = (action) => {
    asked.current = document.activeElement;
    setUnderWay((n) => n + 1);
    setProblem("");
    action()
      .catch((error: unknown) => {
        // fetch throws a TypeError if nothing answers.
        setProblem(error instanceof Error && !(error instanceof TypeError) ? error.message : say("notReached"));
      })
      .finally(() => {
        setUnderWay((n) => n - 1);
        done();
      });
  };
  return { busy: underWay > 0, problem, run };
}

/**
 * Gives the focus back to the button, which lost it because the button was disabled during the action. If the button is
 * gone, the page gets the focus.
 */
function focusAgain(asked: { current: Element | null }): void {
  const button = asked.current;
  asked.current = null;
  if (!(button instanceof HTMLElement) || button === document.body || document.activeElement !== document.body) return;
  button.focus();
  if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
}

/** Shows a problem. This element is always in the page, so that a screen reader reads a text that appears in it. */
export function Problem({ text }: { readonly text: string }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

interface DayFieldProps {
  readonly title: string;
  /** Such as `2026-11-21`, or `2026-11-21T09:01:03` with a time; "" without a day. */
  readonly value: string;
  readonly withTime?: true;
  readonly change: (day: string) => void;
}

/** A field for a day, in the form of the page's other days. Who types in it sees the browser's form. */
export function DayField({ title, value, withTime, change }: DayFieldProps) {
  const { day, time, moment } = useSpeech();
  return (
    <label>
      {title}
      <span class="day">
        <input
          type={withTime ? "datetime-local" : "date"}
          max={withTime ? "9998-12-31T23:59:59" : "9998-12-31"}
          step={withTime && 1}
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
        {isDay(value.slice(0, 10)) && (
          <span aria-hidden="true">{withTime ? time(moment(value).getTime()) : day(`${value}T12:00Z`)}</span>
        )}
      </span>
    </label>
  );
}

/** Stands in the place of content until its data comes. @param problem why the data does not come */
export function Waiting({ title, problem }: { readonly title?: string; readonly problem: string | undefined }) {
  const waiting = problem === undefined ? <div class="skeleton" aria-hidden="true" /> : <Problem text={problem} />;
  if (title === undefined) return waiting;
  return (
    <section class="panel">
      <h1>{title}</h1>
      {waiting}
    </section>
  );
}

/** Calls `ask` every `intervalMs` while `isWanted` is true. */
export function useAgain(isWanted: boolean, ask: () => void, intervalMs: number): void {
  useEffect(() => {
    const timer = isWanted ? setInterval(ask, intervalMs) : undefined;
    return () => clearInterval(timer);
  }, [isWanted, ask, intervalMs]);
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
