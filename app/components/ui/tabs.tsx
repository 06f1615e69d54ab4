import { Content, List, Root, Trigger } from "radix-ui/tabs";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export type TabItem<Value extends string> = {
  value: Value;
  label: ReactNode;
  icon?: ReactNode;
  disabled?: boolean;
  content: ReactNode;
};

export type TabsProps<Value extends string> = {
  /** Names the list for screen readers. */
  label: string;
  items: readonly TabItem<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
  /** Beside the tabs: a toolbar. */
  aside?: ReactNode;
  className?: string;
  contentClassName?: string;
};

/** Tabs whose hidden panels are not drawn. */
export function Tabs<Value extends string>({
  label,
  items,
  value,
  onValueChange,
  aside,
  className,
  contentClassName,
}: TabsProps<Value>) {
  return (
    <Root
      value={value}
      onValueChange={(next) => onValueChange(next as Value)}
      className={cx("flex min-h-0 flex-col", className)}
    >
      <div className="flex flex-wrap items-center gap-x-3 border-b border-line">
        <List aria-label={label} className="flex gap-1">
          {items.map((item) => (
            <Trigger
              key={item.value}
              value={item.value}
              disabled={item.disabled}
              className={cx(
                "-mb-px inline-flex min-h-control items-center gap-1.5 border-b-2 border-transparent px-3 text-base font-medium text-muted hover:text-text [&_svg]:size-4",
                "data-[state=active]:border-accent data-[state=active]:text-text disabled:opacity-50",
              )}
            >
              {item.icon}
              {item.label}
            </Trigger>
          ))}
        </List>
        {aside && <div className="ms-auto">{aside}</div>}
      </div>
      {items.map((item) => (
        <Content key={item.value} value={item.value} className={cx("min-h-0 flex-1", contentClassName)}>
          {item.content}
        </Content>
      ))}
    </Root>
  );
}
