/** Text in which backticks mark code. */
export function Prose({ text }: { text: string }) {
  return text.split("`").map((part, number) =>
    number % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
      <code key={number} className="font-mono break-words">
        {part}
      </code>
    ),
  );
}
