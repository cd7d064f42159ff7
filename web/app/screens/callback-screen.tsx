import { titleOfIntegration } from '@yonder/contract/integration-names'
import { useParams } from 'react-router'
import { CallbackView } from '../../features/integrations/callback/callback-view.tsx'
import { PageTitle } from '../page-title.tsx'

/** The page that the browser returns to from an integration's service. */
export function CallbackScreen() {
  const { service = '' } = useParams()
  return (
    <>
      <PageTitle>{`${titleOfIntegration(service)} Integration`.trim()}</PageTitle>
      <CallbackView service={service} />
    </>
  )
}
