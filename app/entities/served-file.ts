/** A file that the product hands out: its content (null: there is none), and what the answer must say about it. */
export type ServedFile = {
  content: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | ArrayBuffer | string | null;
  /** Its media type. */
  type: string;
  /** Its length in bytes, if it is known. */
  size?: number;
  /** The name under which it is saved. */
  name?: string;
  /** Shown in a tab of the browser instead of downloaded. */
  opensInTab?: boolean;
  /** How long the caller's own browser may keep it, in milliseconds; not at all if absent. */
  keptMs?: number;
  /** Its address names its content, so that a browser need not ask for it again. */
  neverChanges?: boolean;
  /** Written by someone else: it runs no script, loads nothing, and its type is not guessed. */
  isolated?: boolean;
  /** What Odin's own clients read beside the content, by the name of its header. */
  facts?: Record<string, string>;
};
