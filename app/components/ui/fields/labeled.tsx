import type { TextareaHTMLAttributes } from "react";
import { Field, type FieldProps } from "./field.tsx";
import { Input, type InputProps, Textarea } from "./input.tsx";
import { Select, type SelectProps } from "./select.tsx";
import { TimeInput, type TimeInputProps } from "./time-input.tsx";

type Labels = Omit<FieldProps, "children">;

/** The properties of a control and of the field around it. `className` and `id` are those of the field. */
type Labeled<Control> = Labels & Omit<Control, keyof Labels> & { controlClass?: string };

function split<Props extends Labels & { controlClass?: string }>(props: Props) {
  const { label, hint, error, required, hideLabel, aside, id, className, controlClass, ...rest } = props;
  return { field: { label, hint, error, required, hideLabel, aside, id, className }, rest, controlClass };
}

/** One line of text with its label, hint and error. */
export function InputField(props: Labeled<InputProps>) {
  const { field, rest, controlClass } = split(props);
  return <Field {...field}>{(control) => <Input {...control} className={controlClass} {...rest} />}</Field>;
}

/** Lines of text with their label, hint and error. */
export function TextareaField(props: Labeled<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { field, rest, controlClass } = split(props);
  return (
    <Field {...field}>{(control) => <Textarea {...control} className={controlClass} {...rest} />}</Field>
  );
}

type SelectFieldProps = Labeled<SelectProps> & {
  /** The choices after those in `children`. */
  options?: readonly { value: string | number; label: string }[];
};

/** A choice with its label, hint and error. */
export function SelectField({ options = [], children, ...props }: SelectFieldProps) {
  const { field, rest, controlClass } = split(props);
  return (
    <Field {...field}>
      {(control) => (
        <Select {...control} className={controlClass} {...rest}>
          {children}
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** A date and time with its label, hint and error. */
export function TimeField(props: Labeled<TimeInputProps>) {
  const { field, rest, controlClass } = split(props);
  return (
    <Field {...field}>{(control) => <TimeInput {...control} className={controlClass} {...rest} />}</Field>
  );
}
