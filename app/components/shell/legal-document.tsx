export type LegalSection = { title: string; paragraphs: readonly string[]; points?: readonly string[] };

/** A legal text: numbered sections with a table of contents, for screen and print. */
export function LegalDocument({
  title,
  lead,
  sections,
}: {
  title: string;
  lead: string;
  sections: readonly LegalSection[];
}) {
  return (
    <article className="py-6 text-base leading-relaxed">
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 text-sm text-muted">
        Effective <time dateTime="2025-01-15">01/15/2025</time>
      </p>
      <p className="mt-4 text-lg">{lead}</p>
      <nav
        aria-label="Contents"
        className="mt-5 rounded-md border border-line bg-raised px-4 py-3 print:hidden"
      >
        <ol className="grid gap-x-6 text-sm sm:grid-cols-2">
          {sections.map((section, index) => (
            <li key={section.title}>
              <a
                href={`#section-${index + 1}`}
                className="inline-flex min-h-target items-center gap-2 hover:underline"
              >
                <span className="w-5 text-muted">{index + 1}</span>
                {section.title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      {sections.map((section, index) => (
        <section
          key={section.title}
          id={`section-${index + 1}`}
          aria-labelledby={`section-${index + 1}-title`}
          className="mt-7 scroll-mt-16"
        >
          <h2 id={`section-${index + 1}-title`} className="text-lg font-semibold">
            {index + 1}. {section.title}
          </h2>
          {section.paragraphs.map((paragraph) => (
            <p key={paragraph} className="mt-2">
              {paragraph}
            </p>
          ))}
          {section.points && (
            <ul className="mt-2 flex list-disc flex-col gap-1 ps-5">
              {section.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </article>
  );
}
