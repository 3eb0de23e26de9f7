"""What has to be so before an increment is completed."""
