import { createContext, type ReactNode, useContext } from "react";

const Level = createContext<2 | 3>(2);

/** Sets the heading level of a document's sections. */
export const HeadingLevel = Level.Provider;

export function Section({ title, children }: { title: string; children: ReactNode }) {
  const Heading = useContext(Level) === 2 ? "h2" : "h3";
  return (
    <section className="mt-8">
      <Heading className="break-after-avoid text-xl font-semibold tracking-tight">{title}</Heading>
      {children}
    </section>
  );
}

/** The heading of a part of a section. */
export function Subheading({ children }: { children: ReactNode }) {
  const Heading = useContext(Level) === 2 ? "h3" : "h4";
  return <Heading className="mt-6 break-after-avoid font-semibold">{children}</Heading>;
}
