/** Buttons that print a receipt or save it as a file. */
import type { SignedRecord } from "../records/receipts.js";
import { escPosOf, PAPERS, type PaperWidth, paperImage, pngOf } from "./paper.js";
import { pdfOf } from "./pdf.js";
import { useSpeech } from "./texts.js";
import { download, Problem, useAction } from "./ui.js";

interface DownloadsProps {
  readonly id: number;
  readonly signed: SignedRecord;
  /** Name of the files, without their ending. */
  readonly name: string;
}

export function Downloads({ id, signed, name }: DownloadsProps) {
  const { say } = useSpeech();
  const { busy, problem, run } = useAction();
  const text = () =>
    new Blob([signed.journal.map((line) => `${line}\r\n`).join("")], { type: "text/plain;charset=utf-8" });
  const imageOf = (width: PaperWidth) => {
    const image = paperImage(signed, width);
    if (!image) throw new Error(say("tooLong"));
    return image;
  };
  const png = async (width: PaperWidth) => download(`${name}-${width}.png`, await pngOf(imageOf(width)));
  // This is no async function, because it awaits nothing. `then` still turns an error into a rejection.
  const dots = (width: PaperWidth) =>
    Promise.resolve().then(() => download(`${name}-${width}-dots.escpos`, escPosOf(imageOf(width))));
  const pdf = async (width: PaperWidth) => download(`${name}-${width}.pdf`, await pdfOf(signed, width, name));
  const widths = Object.keys(PAPERS) as PaperWidth[];
  return (
    <>
      <div class="row downloads">
        <button type="button" class="main" onClick={() => print()}>
          {say("print")}
        </button>
        <button type="button" disabled={busy} onClick={() => run(() => pdf("80mm"))}>
          PDF 80mm
        </button>
        <button type="button" onClick={() => download(`${name}.txt`, text())}>
          {say("asText")}
        </button>
      </div>
      <details>
        <summary>{say("otherForms")}</summary>
        <div class="row downloads">
          <button type="button" disabled={busy} onClick={() => run(() => pdf("58mm"))}>
            PDF 58mm
          </button>
          {widths.map((width) => (
            <button key={`png ${width}`} type="button" disabled={busy} onClick={() => run(() => png(width))}>
              PNG {width}
            </button>
          ))}
        </div>
        <p class="muted">
          {say("forPrinter")}: {say("forPrinterMeans")}
        </p>
        <div class="row downloads">
          {widths.flatMap((width) =>
            (["command", "raster"] as const).map((qr) => (
              <a
                key={`${width} ${qr}`}
                class="button"
                download={`${name}-${width}-${qr}.escpos`}
                href={`/console/receipts/${id}/escpos?paper=${width}&qr=${qr}`}
              >
                {say(qr === "command" ? "escPosCommand" : "escPosRaster", { paper: width })}
              </a>
            )),
          )}
          {widths.map((width) => (
            <button key={width} type="button" disabled={busy} onClick={() => run(() => dots(width))}>
              {say("escPosDots", { paper: width })}
            </button>
          ))}
        </div>
      </details>
      <Problem text={problem} />
    </>
  );
}
