/** A file that Odin serves: its content (null if there is none) and its response headers. */
export type ServedFile = {
  content: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | ArrayBuffer | string | null;
  /** Media type. */
  type: string;
  /** Length in bytes, if known. */
  size?: number;
  /** Set if `content` is a part of a file: where it begins, and the length of the whole file. */
  part?: { offset: number; total: number };
  /** Hash of the whole file, if parts of it can be asked for. */
  hash?: string;
  /** Name of the downloaded file. */
  name?: string;
  /** Shown in a browser tab instead of downloaded. */
  opensInTab?: boolean;
  /** How long the caller's own browser may cache it, in milliseconds; not at all if absent. */
  keptMs?: number;
  /** The URL identifies the content, so that a browser need not revalidate it. */
  neverChanges?: boolean;
  /** Untrusted content: it runs no script, loads nothing, and its type is not sniffed. */
  isolated?: boolean;
  /** Values of headers that Odin's own clients read, by header name. */
  facts?: Record<string, string>;
};
