/** A message with what the user wrote, or would write, in backticks. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return (
    <>
      {parts.map((part, i) => {
        const key = `${i} ${part}`;
        return i % 2 === 1 ? <code key={key}>{part}</code> : <span key={key}>{part}</span>;
      })}
    </>
  );
}
