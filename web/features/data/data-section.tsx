import { use, useId } from 'react'
import { SelfServiceContext } from '../../data/self-service.ts'
import { useTransfers } from '../../data/transfers.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { SettingsHeader } from '../../ui/form/settings-list.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { AccountSection } from '../account/account-section.tsx'
import { ExportSection } from './export/export-section.tsx'
import { ImportSection } from './import/import-section.tsx'

/** The Data section of settings: what comes in, and, where users help themselves, what leaves. */
export function DataSection() {
  const title = useId()
  const isSelfService = use(SelfServiceContext) === true
  const { data, error, mutate } = useTransfers()
  return (
    <section aria-labelledby={title}>
      <SettingsHeader id={title} title="Data" />
      <div className="flex flex-col gap-8">
        {data !== undefined ? (
          <>
            <ImportSection transfer={data.import} />
            {isSelfService && <ExportSection transfer={data.export} />}
          </>
        ) : error === undefined ? (
          <DataSkeleton hasExport={isSelfService} />
        ) : (
          <ErrorState title="Imports and exports could not be loaded" onRetry={() => void mutate()}>
            {readReason(error)}
          </ErrorState>
        )}
        {isSelfService && <AccountSection />}
      </div>
    </section>
  )
}

function DataSkeleton({ hasExport }: { readonly hasExport: boolean }) {
  return (
    <output className="flex flex-col gap-8">
      <span className="sr-only">Loading imports and exports</span>
      <span className="flex flex-col gap-2">
        <Skeleton size="h-5 w-16" />
        <Skeleton shape="block" size="h-48" />
      </span>
      {hasExport && (
        <span className="flex flex-col gap-2">
          <Skeleton size="h-5 w-16" />
          <Skeleton shape="block" size="h-13" />
        </span>
      )}
    </output>
  )
}
