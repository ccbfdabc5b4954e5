/** Keeps errors in the events of a stream from the process, which an uncaught error would end. */
import type { EventEmitter } from "node:events";

/** @param failed called with what a listener throws, and with an error of the stream that has no listener */
export function catchEvents(stream: EventEmitter, failed: (error: unknown) => void): void {
  const { emit } = stream;
  stream.emit = (...event: unknown[]): boolean => {
    try {
      return Boolean(Reflect.apply(emit, stream, event));
    } catch (error) {
      failed(error);
      return true;
    }
  };
}
