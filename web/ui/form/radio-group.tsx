import { useId } from 'react'

export interface RadioGroupProps<Value extends string> {
  /** The accessible name. */
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: string; readonly meaning?: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice among a few options that are all shown. */
export function RadioGroup<Value extends string>({
  label,
  options,
  value,
  onChange,
}: RadioGroupProps<Value>) {
  const name = useId()
  return (
    <fieldset aria-label={label} className="flex flex-col gap-2.5 pt-3">
      {options.map((option) => (
        <label
          key={option.value}
          className="flex items-start gap-2.5 text-sm font-medium pointer-coarse:min-h-11 pointer-coarse:items-center"
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="mt-0.5 size-4 shrink-0 pointer-coarse:mt-0 pointer-coarse:size-5"
          />
          <span>
            {option.label}
            {option.meaning && <span className="block font-normal text-muted">{option.meaning}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
