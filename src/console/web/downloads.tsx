/** A receipt for paper: printed, and as files. */
import type { SignedRecord } from "../records.js";
import { PAPERS, type PaperWidth, paperImage } from "./paper.js";
import { pdfOf } from "./pdf.js";
import { useSpeech } from "./texts.js";
import { download, Problem, useDeed } from "./ui.js";

/** @param name of the files */
export function Downloads({ signed, name }: { readonly signed: SignedRecord; readonly name: string }) {
  const { say } = useSpeech();
  const { busy, problem, run } = useDeed();
  const text = () =>
    new Blob([signed.journal.map((line) => `${line}\r\n`).join("")], { type: "text/plain;charset=utf-8" });
  const png = async (width: PaperWidth) => {
    const image = paperImage(signed, width);
    if (!image) throw new Error(say("tooLong"));
    download(`${name}-${width}.png`, await image);
  };
  const pdf = async (width: PaperWidth) => download(`${name}-${width}.pdf`, await pdfOf(signed, width, name));
  const widths = Object.keys(PAPERS) as PaperWidth[];
  return (
    <>
      <div class="row downloads">
        <button type="button" class="main" onClick={() => print()}>
          {say("print")}
        </button>
        <button type="button" onClick={() => download(`${name}.txt`, text())}>
          {say("asText")}
        </button>
        {widths.map((width) => (
          <button key={`pdf ${width}`} type="button" disabled={busy} onClick={() => run(() => pdf(width))}>
            PDF {width}
          </button>
        ))}
        {widths.map((width) => (
          <button key={`png ${width}`} type="button" disabled={busy} onClick={() => run(() => png(width))}>
            PNG {width}
          </button>
        ))}
      </div>
      <Problem text={problem} />
    </>
  );
}
